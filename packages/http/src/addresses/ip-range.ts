/** Addresses and ranges of them, IPv4 and IPv6, as conditions of policies name them. */

import { BlockList, isIP } from 'node:net'
import { schema } from '@varve/core'

export interface IpRange {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  /** Bits that count. */
  readonly prefix: number
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

const rangeText = schema.text()

/**
 * Of `203.0.113.0/24`, `2001:db8::/32`, or one address. Nothing when it is neither.
 * @throws StorageError `InvalidArgument` for what is no text
 */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = '', bits, ...rest] = schema.checked('text', rangeText, text).split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return undefined
  const most = version === 4 ? 32 : 128
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  if (!(prefix <= most)) return undefined
  return { family: version === 4 ? 'ipv4' : 'ipv6', address, prefix }
}

/** An IPv4 address that came in IPv6 clothes is taken for what it is. */
export const plainAddress = (address: string): string => mapped.exec(address)?.[1] ?? address

export const isInRange = (address: string, range: IpRange): boolean => rangeTest(range)(address)

/** Whether addresses are in the range, for many of them. */
export function rangeTest({ family, address: network, prefix }: IpRange): (address: string) => boolean {
  const list = new BlockList()
  list.addSubnet(network, prefix, family)
  return (address) => {
    const plain = plainAddress(address)
    const version = isIP(plain)
    return version !== 0 && (version === 4) === (family === 'ipv4') && list.check(plain, family)
  }
}
