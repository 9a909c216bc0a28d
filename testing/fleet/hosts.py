"""Three hosts with sshd, and a network between them: machines on one bridge.

    with Hosts(tmp_path) as hosts:
        hosts.hub.run(["ssh", "h1", "hostname"])     # h1; the driver of a fleet runs in the hub
        hosts.write("h1", "only here", b"bytes")     # a file of DATA, of which each host has its own
        hosts.cut("h1"), hosts.mend("h1")
        hosts.power_off("h1"), hosts.power_on("h1")

In the hub, `ssh h1` needs no options, and names are addresses for every program. All hosts see the files of the real
machine except those in PRIVATE and DATA, so `hosts.shared` is a shared folder, and a mount made before the hosts start
is a shared filesystem.
"""

import pathlib
import shutil
import subprocess

import machine
from machine import Machine
from waiting import until

DATA = pathlib.Path("/mnt")  # each host has its own, in memory

_HUB = "10.77.0.1"
_SSH = pathlib.Path("/etc/ssh/ssh_config.d")


def why_not() -> str:
    """Why hosts cannot run here; "" if they can."""
    if reason := machine.why_not("ssh", "sshd", "ssh-keygen"):
        return reason
    return "" if _SSH.is_dir() else f"{_SSH} does not exist"


class Hosts:
    """The folder is for keys and logs, and must be new."""

    def __init__(self, folder: pathlib.Path, names: tuple[str, ...] = ("h1", "h2", "h3")) -> None:
        self.names = names
        self.addresses = {name: f"10.77.0.{11 + i}" for i, name in enumerate(names)}
        self.shared = folder / "shared"
        self._folder = folder
        self._hosts: dict[str, Machine] = {}
        self._write_files()
        self.hub = Machine("hub")
        try:
            self._start_network()
            for name in names:
                self._start_host(name)
            for name in names:
                self._wait_for_sshd(name)
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> "Hosts":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __getitem__(self, name: str) -> Machine:
        """The machine, for programs that start without ssh, even if the link is cut."""
        return self._hosts[name]

    def write(self, name: str, path: str, content: bytes) -> None:
        """Writes a file of the host's own data, with the folders above it."""
        place = DATA / path
        self[name].run(["mkdir", "-p", place.parent])
        writer = self[name].start(["tee", place], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        writer.communicate(content)
        if writer.returncode != 0:
            raise RuntimeError(f"{name}: cannot write {place}")

    def cut(self, name: str) -> None:
        """Nothing reaches the host any more, and nobody is told."""
        self.hub.run(["ip", "link", "set", f"to-{name}", "down"])

    def mend(self, name: str) -> None:
        self.hub.run(["ip", "link", "set", f"to-{name}", "up"])

    def power_off(self, name: str) -> None:
        """Ends all processes of the host. Others see that its connections are closed, unless the link is cut."""
        self._hosts.pop(name).stop()

    def power_on(self, name: str) -> None:
        """Starts the host again, with nothing in its DATA."""
        self._start_host(name)
        self._wait_for_sshd(name)

    def stop(self) -> None:
        """Ends the hosts and the hub."""
        for name in list(self._hosts):
            self.power_off(name)
        self.hub.stop()

    def _write_files(self) -> None:
        folder = self._folder
        self.shared.mkdir(parents=True)
        for key in ("id", "host_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        public = (folder / "host_key.pub").read_text(encoding="ascii")
        (folder / "known_hosts").write_text(f"{','.join(self.names)} {public}", encoding="ascii")
        (folder / "hosts").write_text("".join(
            f"{address} {name}\n"
            for name, address in {"localhost": "127.0.0.1", "hub": _HUB, **self.addresses}.items()), encoding="ascii")
        (folder / "ssh_config.d").mkdir()
        (folder / "ssh_config.d" / "fleet.conf").write_text(f"""
Host {" ".join(self.names)}
  User root
  IdentityFile {folder}/id
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  StrictHostKeyChecking yes
  BatchMode yes
""", encoding="utf-8")
        for name, address in self.addresses.items():
            # The keys may be below /tmp, which everybody may write to: StrictModes would refuse them.
            (folder / f"sshd-{name}").write_text(f"""
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/id.pub
StrictModes no
PidFile none
UsePAM no
UseDNS no
PasswordAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
SetEnv TMPDIR={DATA}
""", encoding="utf-8")

    def _start_network(self) -> None:
        run = self.hub.run
        run(["mount", "--bind", self._folder / "hosts", "/etc/hosts"])
        run(["mount", "--bind", self._folder / "ssh_config.d", _SSH])
        run(["ip", "link", "add", "br0", "type", "bridge"])
        run(["ip", "address", "add", f"{_HUB}/24", "dev", "br0"])
        run(["ip", "link", "set", "br0", "up"])
        for name, address in self.addresses.items():
            # The names of these namespaces are files of the hub's PRIVATE: no other machine sees them.
            run(["ip", "netns", "add", name])
            run(["ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name])
            run(["ip", "link", "set", f"to-{name}", "master", "br0", "up"])
            run(["ip", "-n", name, "address", "add", f"{address}/24", "dev", "eth0"])
            run(["ip", "-n", name, "link", "set", "eth0", "up"])
            run(["ip", "-n", name, "route", "add", "default", "via", _HUB])

    def _start_host(self, name: str) -> None:
        host = self._hosts[name] = Machine(name, inside=self.hub, network=name)
        host.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", DATA])
        host.run(["mkdir", machine.PRIVATE / "sshd"])
        sshd = shutil.which("sshd", path=machine.search_path())
        assert sshd is not None  # why_not()
        with open(self._log(name), "wb") as log:
            host.start([sshd, "-D", "-e", "-f", self._folder / f"sshd-{name}"], stderr=log)

    def _wait_for_sshd(self, name: str) -> None:
        until(lambda: b"Server listening" in self._log(name).read_bytes(), f"sshd of {name}")

    def _log(self, name: str) -> pathlib.Path:
        return self._folder / f"sshd-{name}.log"
