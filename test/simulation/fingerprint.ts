/**
 * What two machines that come up the same have in common. Names and bytes are compared by content; the values of rows
 * by identity, which they keep through every change of the table around them.
 */
import type { DiskImage } from './disk-image.ts'
import type { Image } from './machine.ts'
import type { Table } from './row-image.ts'

export const fingerprint = ({ disk, rows }: Image): string => `${rows.exists} ${ofTable(rows.seen)} ${ofDisk(disk)}`

function ofDisk({ nodes }: DiskImage): string {
  const parts: string[] = []
  for (const [number, node] of nodes) {
    if (node.kind === 'file') parts.push(`${number}=${Buffer.from(node.seen).toString('latin1')}`)
    else if (node.seen.size > 0) parts.push(`${number}:${ofNames(node.seen)}`)
  }
  return parts.join('\n')
}

const ofNames = remembering((names: ReadonlyMap<string, number>) =>
  JSON.stringify([...names].sort(([a], [b]) => (a < b ? -1 : 1))),
)

const ofTable = remembering((table: Table) => table.map(({ name, value }) => `${name}${numberOf(value)}`).join(','))

let values = 0
const numberOf = remembering((_value: Uint8Array) => ++values)

function remembering<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(key)
    known.set(key, made)
    return made
  }
}
