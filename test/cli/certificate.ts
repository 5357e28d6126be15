/** Certificates for tests of servers. */
import { certificateOf as issued } from '#adapters/system/certificates.fixture'
import type { TlsMaterial } from 'varve/http'

export type Pair = Required<{ readonly [K in 'key' | 'cert']: string }> & TlsMaterial

/** A certificate for 127.0.0.1 and localhost that signs itself, with its key. */
export function certificateOf(commonName: string): Pair {
  const { key, cert } = issued(commonName)
  return { key, cert }
}
