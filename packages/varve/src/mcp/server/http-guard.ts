/** Which HTTP requests are answered: those of clients with the token, and never those of a page in a browser. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface Guard {
  readonly token: string
  /** Names with ports that the header `Host` may have. */
  readonly hosts: ReadonlySet<string>
  /** Origins of pages that may send requests. */
  readonly origins: ReadonlySet<string>
}

export interface Refusal {
  readonly status: number
  readonly message: string
}

/**
 * A page that resolves its own name to this machine sends that name as `Host`, and its `Origin`. Both are checked before the
 * token.
 */
export function refusalOf({ token, hosts, origins }: Guard, { headers }: IncomingMessage): Refusal | undefined {
  if (!hosts.has((headers.host ?? '').toLowerCase())) return { status: 403, message: 'This Host is not served here.' }
  const { origin } = headers
  if (origin !== undefined && !origins.has(origin)) return { status: 403, message: 'This Origin is not allowed.' }
  const [, given = ''] = /^bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (!isSame(given, token)) return { status: 401, message: 'A bearer token is needed.' }
  return undefined
}

/** Takes the same time for every text. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
