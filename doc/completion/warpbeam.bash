# Loaded by bash-completion when warpbeam is first completed.
source <(warpbeam completion bash)
