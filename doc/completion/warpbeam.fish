# Loaded by fish when warpbeam is first completed.
warpbeam completion fish | source
