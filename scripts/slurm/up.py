"""Start a Slurm of one machine, to try sweeps on a cluster where there is none.

    python scripts/slurm/up.py FOLDER        starts it, as root, and says how to use it
    python scripts/slurm/down.py FOLDER      ends it

The daemons are Debian's (packages slurmctld, slurmd, slurm-client, munge) with ports, keys and
files of their own in FOLDER, so that they neither need systemd and cgroups nor meet a Slurm that is
here already. CPUs and GPUs are pretended: jobs get their share counted out, not enforced.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
PATIENCE_S = 30.0
KEY_BYTES = 128

CONFIG = """
ClusterName=trial
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
AuthType=auth/munge
# Short-lived credentials: a requeued job waits for as long as they live.
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
# What has ended is remembered for a day, in place of accounting.
MinJobAge=86400
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory_mb} Gres=gpu:{gpus} State=UNKNOWN
PartitionName=trial Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Start the daemons one after another, each when the one before answers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where everything of it is kept")
    parser.add_argument("--cpus", type=int, default=8, help="pretended CPUs (default 8)")
    parser.add_argument("--gpus", type=int, default=2, help="pretended GPUs (default 2)")
    given = parser.parse_args(arguments)
    _check()
    folder = given.folder.absolute()
    _configure(folder, given.cpus, given.gpus)
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    munge = folder / "munge"
    _run(
        ["munged", f"--key-file={munge}/key", f"--socket={munge}/socket",
         f"--pid-file={folder}/munged.pid", f"--log-file={folder}/log/munged.log",
         f"--seed-file={munge}/seed", "--force"], environment,
    )  # fmt: skip
    _wait("munged", folder, (munge / "socket").exists)
    _run(["slurmctld", "-c", "-f", str(folder / "slurm.conf")], environment)
    _wait("slurmctld", folder, lambda: "is UP" in _answer(["scontrol", "ping"], environment))
    _run(["slurmd", "-f", str(folder / "slurm.conf")], environment)
    _wait("slurmd", folder, lambda: "idle" in _answer(["sinfo", "-h", "-o", "%t"], environment))
    print(f"export SLURM_CONF={folder}/slurm.conf")


def _check() -> None:
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        sys.exit(
            f"{', '.join(missing)}: not installed. On Debian: apt-get install slurmctld slurmd "
            "slurm-client munge"
        )
    if os.geteuid() != 0:
        sys.exit("This has to run as root: slurmd starts jobs in other users' names.")


def _configure(folder: Path, cpus: int, gpus: int) -> None:
    """Write configuration and key, and make the folders that daemons expect."""
    for name in ("munge", "state", "spool", "log"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    (folder / "munge").chmod(0o700)
    key = folder / "munge" / "key"
    key.write_bytes(secrets.token_bytes(KEY_BYTES))
    key.chmod(0o600)
    (folder / "cgroup.conf").write_text("CgroupAutomount=no\n", encoding="utf-8")
    controller_port, node_port = _free_ports(2)
    text = CONFIG.format(
        host=socket.gethostname().partition(".")[0],
        folder=folder,
        controller_port=controller_port,
        node_port=node_port,
        cpus=cpus,
        gpus=gpus,
        memory_mb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 9 // 10 // 2**20,
    )
    (folder / "slurm.conf").write_text(text.lstrip(), encoding="utf-8")
    (folder / "gres.conf").write_text(
        "".join(f"Name=gpu File={_pretended_gpu(folder, number)}\n" for number in range(gpus)),
        encoding="utf-8",
    )


def _pretended_gpu(folder: Path, number: int) -> Path:
    """A device file for Slurm to count: the null device under another name."""
    path = folder / f"gpu{number}"
    if not path.exists():
        os.mknod(path, 0o020666, os.makedev(1, 3))
    return path


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]
    finally:
        for one in sockets:
            one.close()


def _run(command: Sequence[str], environment: dict[str, str]) -> None:
    subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=True)


def _answer(command: Sequence[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    return done.stdout


def _wait(name: str, folder: Path, ready: Callable[[], bool]) -> None:
    """Wait for a daemon; where it does not come, show the end of its log."""
    end = time.monotonic() + PATIENCE_S
    while not ready():
        if time.monotonic() > end:
            log = folder / "log" / f"{name}.log"
            last = log.read_text(errors="replace").splitlines()[-20:] if log.exists() else []
            sys.exit("\n".join([f"{name} does not answer; the end of {log}:", *last]))
        time.sleep(0.1)


if __name__ == "__main__":
    main()
