"""Credentials: one key and certificate for each run, with which driver, scheduler and workers know each other.

The certificate is also the only authority that each of them accepts, so nobody without the key can connect, submit work
or read along. The key is kept in memory: workers get it on standard input. (To load it, Python's ssl writes it to a
file in a directory that only its user can read, and removes it at once.)
"""

from __future__ import annotations

import dataclasses
import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed.security import Security

_CLOCK_SKEW = datetime.timedelta(days=1)  # between the hosts
_LIFETIME = datetime.timedelta(days=60)  # longer than any scan


@dataclasses.dataclass(frozen=True, repr=False)
class Credentials:
    """Both as PEM."""

    certificate: str
    key: str

    @staticmethod
    def make() -> Credentials:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "fathom fleet")])
        now = datetime.datetime.now(datetime.timezone.utc)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _CLOCK_SKEW)
            .not_valid_after(now + _LIFETIME)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(key, hashes.SHA256())
        )
        return Credentials(
            certificate.public_bytes(serialization.Encoding.PEM).decode(),
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                              serialization.NoEncryption()).decode())

    def security(self) -> Security:
        """For any role. Unencrypted connections are refused."""
        from distributed.security import Security

        own = {f"tls_{role}_cert": self.certificate for role in ("client", "scheduler", "worker")}
        own |= {f"tls_{role}_key": self.key for role in ("client", "scheduler", "worker")}
        return Security(require_encryption=True, tls_ca_file=self.certificate, **own)
