# A cluster of Slurm on the loopback of this machine: a controller, nodes n1 and n2, partitions low and
# high, which preempts. Read by tests/slurm/check. Everything is in a folder, and is ended by its
# process number.

# Settings, in the order of slurm.conf(5). A requeue waits for the credential's end; cgroups may be absent.
write_configuration() { # FOLDER PORT
	local host
	host=$(hostname -s)
	echo CgroupPlugin=cgroup/v1 >"$1/cgroup.conf"
	cat >"$1/slurm.conf" <<-END
		ClusterName=loopback
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthInfo=socket=$1/munge/sock,cred_expire=5
		SlurmctldPort=$2
		SlurmctldPidFile=$1/slurmctld.pid
		SlurmctldLogFile=$1/slurmctld.log
		StateSaveLocation=$1/state
		SlurmdPidFile=$1/slurmd.%n.pid
		SlurmdLogFile=$1/slurmd.%n.log
		SlurmdSpoolDir=$1/spool.%n
		SlurmdDebug=error
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		MpiDefault=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SlurmdParameters=config_overrides
		SlurmctldParameters=preempt_send_user_signal
		PropagateResourceLimitsExcept=FSIZE
		ReturnToService=2
		SlurmdTimeout=5
		KillWait=3
		MaxArraySize=5
		SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
		PreemptType=preempt/partition_prio
		PreemptMode=REQUEUE
		NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($2 + 1)) CPUs=2 RealMemory=500
		NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($2 + 2)) CPUs=2 RealMemory=500
		PartitionName=low Nodes=n1,n2 Default=YES PriorityTier=1 GraceTime=20
		PartitionName=high Nodes=n1,n2 PriorityTier=10
	END
}

# cluster_start FOLDER: sets SLURM_CONF.
cluster_start() {
	local port=$((20000 + $$ % 20000)) node
	cluster=$1
	mkdir -p "$cluster"/munge "$cluster"/state "$cluster"/spool.n1 "$cluster"/spool.n2
	chmod 755 "$cluster" "$cluster/munge"
	head -c 128 /dev/urandom >"$cluster/munge/key" && chmod 600 "$cluster/munge/key"
	munged --key-file="$cluster/munge/key" --socket="$cluster/munge/sock" --pid-file="$cluster/munge/pid" \
		--log-file="$cluster/munge/log" --seed-file="$cluster/munge/seed" || return
	write_configuration "$cluster" $port
	export SLURM_CONF=$cluster/slurm.conf
	slurmctld -f "$SLURM_CONF" || return
	for node in n1 n2; do
		node_start $node || return
	done
	wait_until 60 nodes_are_idle
}

# node_start NODE [KILOBYTES]: its tasks may write files of at most that size.
node_start() {
	(ulimit -f "${2:-unlimited}" && slurmd -N "$1" -f "$SLURM_CONF")
}

nodes_are_idle() {
	[ "$(sinfo -h -N -p low -o %t | sort | uniq -c | tr -d ' \n')" = 2idle ]
}

# wait_until SECONDS COMMAND..
wait_until() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "without result: $*" && return 1; }
		sleep 0.2
	done
}

end_process() { # PIDFILE
	local pid
	pid=$(cat "$1" 2>/dev/null) || return 0
	kill "${2:--TERM}" "$pid" 2>/dev/null
	for _ in $(seq 50); do
		kill -0 "$pid" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL "$pid" 2>/dev/null
}

# The step daemons of this cluster's jobs, all or those of a job's number.
step_daemons() {
	local pid
	for pid in $(pgrep -f "^slurmstepd: \[${1:-}"); do
		! grep -qz "^SLURM_CONF=$SLURM_CONF\$" "/proc/$pid/environ" 2>/dev/null || echo "$pid"
	done
}

# The processes below these.
descendants() {
	local pid child
	for pid; do
		for child in $(pgrep -P "$pid"); do
			echo "$child"
			descendants "$child"
		done
	done
}

# A node that loses its power: its daemon, the step daemons, the tasks.
node_kill() { # NODE
	local job steps
	kill -KILL "$(cat "$cluster/slurmd.$1.pid")"
	for job in $(squeue -h -r -w "$1" -o %A); do
		steps=$(step_daemons "$job")
		[ -z "$steps" ] || kill -KILL $steps $(descendants $steps) 2>/dev/null
	done
	rm -f "$cluster/slurmd.$1.pid"
}

cluster_stop() {
	local steps
	scancel -u "$(id -un)" 2>/dev/null
	wait_until 20 no_steps
	end_process "$cluster/slurmd.n1.pid"
	end_process "$cluster/slurmd.n2.pid"
	end_process "$cluster/slurmctld.pid"
	end_process "$cluster/munge/pid"
	steps=$(step_daemons)
	[ -z "$steps" ] || kill -KILL $steps $(descendants $steps) 2>/dev/null
}

no_steps() {
	[ -z "$(step_daemons)" ]
}
