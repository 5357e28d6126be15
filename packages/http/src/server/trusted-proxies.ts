/**
 * The address of a client behind proxies. Proxies state it in headers that any client can send, so the headers are used
 * only for trusted proxies. The search goes back from the last proxy: the first address that is no trusted proxy is the
 * client's.
 */

import { StorageError } from '@varve/core'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { parseIpRange, plainAddress } from '../addresses/ip-range.ts'

/** The sender of a request, and how it reached the first trusted proxy. */
export interface Sender {
  readonly address: string | undefined
  readonly secure: boolean
}

export type SenderOf = (request: IncomingMessage) => Sender

/**
 * @param proxies Addresses or ranges in CIDR notation, IPv4 and IPv6. Without any, the peer of the connection is the
 * sender.
 * @throws StorageError `InvalidArgument` for an entry that is neither
 */
export function senderBehind(proxies: readonly string[] = []): SenderOf {
  if (proxies.length === 0) return connected
  const isTrusted = trustedAmong(proxies)
  return (request) => {
    const own = connected(request)
    if (!isTrusted(own.address)) return own
    const { 'x-forwarded-for': path, 'x-forwarded-proto': scheme } = request.headers
    const forwarded = wordsOf(scheme).at(-1)?.toLowerCase()
    return {
      address: clientOn(wordsOf(path), own.address, isTrusted),
      secure: forwarded === undefined ? own.secure : forwarded === 'https',
    }
  }
}

/** Returns a test whether an address belongs to a trusted proxy. @throws as `senderBehind` does */
export function trustedAmong(proxies: readonly string[] = []): (address: string | undefined) => boolean {
  const trusted = listOf(proxies)
  return (address) => {
    if (address === undefined || proxies.length === 0) return false
    const plain = plainAddress(address)
    return trusted.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6')
  }
}

function connected({ socket }: IncomingMessage): Sender {
  const { remoteAddress } = socket
  const secure = (socket as Partial<TLSSocket>).encrypted === true
  return { address: remoteAddress === undefined ? undefined : plainAddress(remoteAddress), secure }
}

/** Goes back from the last proxy while each one is trusted and names an address. */
function clientOn(
  path: readonly string[],
  last: string | undefined,
  isTrusted: (address: string | undefined) => boolean,
): string | undefined {
  let client = last
  for (const word of path.toReversed()) {
    const address = addressIn(word)
    if (!isTrusted(client) || address === undefined) return client
    client = address
  }
  return client
}

/** The address in `203.0.113.9`, `203.0.113.9:4711`, `2001:db8::1` or `[2001:db8::1]:4711`. */
function addressIn(word: string): string | undefined {
  const inBrackets = /^\[([^\]]+)\](?::\d+)?$/.exec(word)?.[1]
  const withPort = /^([\d.]+):\d+$/.exec(word)?.[1]
  const address = inBrackets ?? withPort ?? word
  return isIP(address) === 0 ? undefined : plainAddress(address)
}

const wordsOf = (header: string | readonly string[] | undefined): readonly string[] =>
  [header ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')

function listOf(proxies: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of proxies) {
    const range = parseIpRange(text)
    if (range === undefined) {
      throw new StorageError('InvalidArgument', `trustedProxies: ${text} is neither an address nor a range of them.`, {
        details: { ArgumentName: 'options.trustedProxies' },
      })
    }
    list.addSubnet(range.address, range.prefix, range.family)
  }
  return list
}
