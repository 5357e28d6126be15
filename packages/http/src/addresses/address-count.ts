/** Counts the addresses in several ranges. An address in more than one range counts once. */

import type { IpRange } from './ip-range.ts'

export interface AddressCount {
  readonly ipv4: bigint
  readonly ipv6: bigint
}

export function addressesIn(ranges: readonly IpRange[]): AddressCount {
  const of = (family: IpRange['family']) => total(ranges.filter((range) => range.family === family).map(spanOf))
  return { ipv4: of('ipv4'), ipv6: of('ipv6') }
}

type Span = readonly [first: bigint, end: bigint]

function spanOf({ family, address, prefix }: IpRange): Span {
  const free = BigInt((family === 'ipv4' ? 32 : 128) - prefix)
  const first = ((family === 'ipv4' ? numberOf4(address) : numberOf6(address)) >> free) << free
  return [first, first + (1n << free)]
}

function total(spans: readonly Span[]): bigint {
  let sum = 0n
  let reached = 0n
  for (const [first, end] of [...spans].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const from = first > reached ? first : reached
    if (end > from) sum += end - from
    if (end > reached) reached = end
  }
  return sum
}

const numberOf4 = (address: string): bigint => address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)

/** The number of a valid IPv6 address, which may contain `::` and an IPv4 tail. */
function numberOf6(address: string): bigint {
  const [head = '', tail] = address.split('::')
  const front = groupsOf(head)
  const back = groupsOf(tail ?? '')
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => 0n)
  return [...front, ...(tail === undefined ? [] : zeros), ...back].reduce((sum, group) => (sum << 16n) | group, 0n)
}

function groupsOf(text: string): readonly bigint[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)]
    const value = numberOf4(group)
    return [value >> 16n, value & 0xffffn]
  })
}
