/** The certificates and the key of connections with TLS, read again for each new connection: they are replaced before they expire. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'
import { StorageError } from '@varve/core'
import { errnoOf } from '../files/errno.ts'
import type { TlsFiles } from './tls-settings.ts'

/** The option `ssl` of pg. A key in a secure context cannot be read back. */
export interface VerifiedTls {
  readonly secureContext: SecureContext
  readonly rejectUnauthorized: true
}

/**
 * Returns a function that reads the files again. While they cannot be used, it returns what they had before.
 * @throws StorageError `JournalFailed` (`details.kind` is `tls`) for files that cannot be used now
 */
export function tlsFrom(files: TlsFiles): () => VerifiedTls {
  let last = verifiedTls(files)
  return () => {
    try {
      last = verifiedTls(files)
    } catch {
      // Somebody is replacing one of them.
    }
    return last
  }
}

function verifiedTls(files: TlsFiles): VerifiedTls {
  const [ca, cert, key] = (['sslrootcert', 'sslcert', 'sslkey'] as const).map((name) => textOf(name, files[name]))
  // Node takes a file without certificates for no file, and then trusts the authorities that it knows.
  if (ca !== undefined) using('sslrootcert', () => new X509Certificate(ca))
  const pair = { ...(ca !== undefined && { ca }), ...(cert !== undefined && key !== undefined && { cert, key }) }
  const secureContext = using('sslcert or sslkey', () => createSecureContext(pair))
  return { secureContext, rejectUnauthorized: true }
}

function textOf(name: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : using(name, () => readFileSync(path, 'utf8'))
}

function using<T>(name: string, use: () => T): T {
  try {
    return use()
  } catch (cause) {
    // The message of the system has the path, those of OpenSSL name functions of it.
    const message = `The file of ${name} cannot be used: ${errnoOf(cause) || String(cause)}.`
    throw new StorageError('JournalFailed', message, { details: { kind: 'tls', code: errnoOf(cause) }, cause })
  }
}
