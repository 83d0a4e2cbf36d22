"""What kind of file system a folder lies on, as far as that decides whether changes made elsewhere are told."""

from __future__ import annotations

from pathlib import Path

_SHARED = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "gluster", "lustre", "vboxsf", "prl_fs", "drvfs", "virtiofs")
_SHARED_BY_PROGRAM = ("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gvfsd", "fuse.grpcfuse", "fuse.osxfs")
_MOUNTS = Path("/proc/self/mounts")


def shared_kind(folder: Path, mounts: Path = _MOUNTS) -> str | None:
    """The kind of file system below ``folder`` when other machines may change it unseen; ``None`` otherwise."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    kind, longest = "", -1
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = Path(_plain(fields[1]))
        if folder.is_relative_to(point) and len(point.parts) >= longest:
            kind, longest = fields[2], len(point.parts)
    return kind if kind.startswith((*_SHARED, *_SHARED_BY_PROGRAM)) else None


def _plain(point: str) -> str:
    """A mount point as it is written there, with blanks and kin as octal numbers."""
    return point.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
