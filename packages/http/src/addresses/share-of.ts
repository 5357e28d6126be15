import { isIP } from 'node:net'
import { plainAddress } from './ip-range.ts'

/**
 * The name under which a client gets its share of budgets and turns: its IPv4 address, or the first 64 bits of its IPv6
 * address, since IPv6 is assigned in networks of 64 bits.
 */
export function shareOf(address = ''): string {
  const known = knownShares.get(address)
  if (known !== undefined) return known
  if (knownShares.size === knownMax) knownShares.clear()
  const share = findShare(address)
  knownShares.set(address, share)
  return share
}

/** Every request of a client asks for its share several times. */
const knownShares = new Map<string, string>()
const knownMax = 4096

function findShare(address: string): string {
  const plain = plainAddress(address)
  return isIP(plain) === 6 ? networkOf(plain) : plain
}

function networkOf(plain: string): string {
  const [front = '', back] = plain.split('%')[0]?.split('::') ?? []
  const groups = front === '' ? [] : front.split(':')
  if (back !== undefined) {
    const behind = back === '' ? 0 : back.split(':').length + (back.includes('.') ? 1 : 0)
    while (groups.length < 8 - behind && groups.length < 4) groups.push('0')
    if (groups.length < 4) groups.push(...back.split(':'))
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
