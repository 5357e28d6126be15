/** IPv4 and IPv6 addresses and ranges, as conditions of policies write them. */

import { BlockList, isIP } from 'node:net'
import { schema } from '@varve/core'

export interface IpRange {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  /** The number of leading bits that all addresses of the range share. */
  readonly prefix: number
}

/** The bits before an IPv4 address that is mapped into IPv6. */
const mappedBits = 96
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

const rangeText = schema.text()

/**
 * Parses `203.0.113.0/24`, `2001:db8::/32`, or one address. Ranges within `::ffff:0:0/96` become those of IPv4. `undefined` for any other text.
 * @throws StorageError `InvalidArgument` for a value that is not a string
 */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = '', bits, ...rest] = schema.checked('text', rangeText, text).split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return undefined
  const most = version === 4 ? 32 : 128
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  if (!(prefix <= most)) return undefined
  // Addresses are compared as IPv4 where they are, so their ranges are too.
  const plain = plainAddress(address)
  if (plain !== address && prefix >= mappedBits) return { family: 'ipv4', address: plain, prefix: prefix - mappedBits }
  return { family: version === 4 ? 'ipv4' : 'ipv6', address, prefix }
}

/** Converts an IPv4 address that is mapped into IPv6 back to IPv4. */
export const plainAddress = (address: string): string =>
  // Few addresses begin with a colon, and this runs for every request.
  address.startsWith(':') ? (mapped.exec(address)?.[1] ?? address) : address

export const isInRange = (address: string, range: IpRange): boolean => rangeTest(range)(address)

/** Returns a test whether an address is in the range, for testing many addresses. */
export function rangeTest({ family, address: network, prefix }: IpRange): (address: string) => boolean {
  const list = new BlockList()
  list.addSubnet(network, prefix, family)
  return (address) => {
    const plain = plainAddress(address)
    const version = isIP(plain)
    return version !== 0 && (version === 4) === (family === 'ipv4') && list.check(plain, family)
  }
}
