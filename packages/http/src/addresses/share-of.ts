import { isIP } from 'node:net'
import { plainAddress } from './ip-range.ts'

/**
 * Whose share and whose turns a client takes: those of its address, or of the first 64 bits of one of IPv6, since networks are handed
 * out so.
 */
export function shareOf(address: string | undefined): string {
  const plain = plainAddress(address ?? '')
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
