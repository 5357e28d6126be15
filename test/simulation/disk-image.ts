/**
 * A disk at one moment: what programs see, what would survive, and what is in between. Images are values: every change
 * makes a new one, so a machine can be copied for nothing and crashed in many ways.
 *
 * What a power cut may do to it (`crashDisk`): a write that was not synced survives whole, in part or not at all; a
 * name that was made, moved or removed without a sync of its directory is as before or as after, each by itself.
 */
import type { Random } from '../support/random.ts'

interface Write {
  readonly at: number
  readonly bytes: Uint8Array
}

export interface FileNode {
  readonly kind: 'file'
  /** What readers see. */
  readonly seen: Uint8Array
  /** What is on the disk for certain. */
  readonly durable: Uint8Array
  /** Written, not synced. */
  readonly pending: readonly Write[]
}

export interface DirectoryNode {
  readonly kind: 'directory'
  readonly seen: ReadonlyMap<string, number>
  readonly durable: ReadonlyMap<string, number>
}

/** One change of names, which a journalling file system makes wholly or not at all. */
export interface NameChange {
  readonly removed?: { readonly directory: number; readonly name: string }
  readonly added?: { readonly directory: number; readonly name: string; readonly node: number }
  /** Its sync failed: no later sync of the directory will bring it to the disk. */
  readonly doomed?: boolean
}

export interface DiskImage {
  readonly nodes: ReadonlyMap<number, FileNode | DirectoryNode>
  /** In the order they were made. */
  readonly pending: readonly NameChange[]
}

/** What survives a power cut: nothing unsynced, all of it, all names but no bytes, or a random subset. */
export type Keep = 'none' | 'all' | 'names' | 'subset'
export const keeps: readonly Keep[] = ['none', 'all', 'names', 'subset']

export const rootNode = 0

export const emptyDirectory: DirectoryNode = { kind: 'directory', seen: new Map(), durable: new Map() }
export const emptyDisk: DiskImage = { nodes: new Map([[rootNode, emptyDirectory]]), pending: [] }

export function writeAt(bytes: Uint8Array, { at, bytes: written }: Write): Uint8Array {
  const grown = new Uint8Array(Math.max(bytes.length, at + written.length))
  grown.set(bytes)
  grown.set(written, at)
  return grown
}

/** What is being made into an image, and of it the names that no other image has, which are changed where they are. */
export interface Draft {
  readonly nodes: Map<number, FileNode | DirectoryNode>
  readonly own: Set<ReadonlyMap<string, number>>
}

/** A change of the names that are seen, or of those that are durable because it reached the disk. */
export function applyNames(draft: Draft, which: 'seen' | 'durable', { removed, added }: NameChange): void {
  if (removed !== undefined) ownNames(draft, removed.directory, which).delete(removed.name)
  if (added !== undefined) ownNames(draft, added.directory, which).set(added.name, added.node)
}

function ownNames({ nodes, own }: Draft, directory: number, which: 'seen' | 'durable'): Map<string, number> {
  const node = nodes.get(directory)
  if (node?.kind !== 'directory') throw new Error('A name outside of a directory.')
  if (own.has(node[which])) return node[which] as Map<string, number>
  const names = new Map(node[which])
  own.add(names)
  nodes.set(directory, { ...node, [which]: names })
  return names
}

/** The disk as the next boot finds it. */
export function crashDisk(image: DiskImage, keep: Keep, random: Random): DiskImage {
  const nodes = new Map(image.nodes)
  const draft = { nodes, own: new Set<ReadonlyMap<string, number>>() }
  for (const pending of image.pending) {
    if (keep === 'all' || keep === 'names' || (keep === 'subset' && random.chance(0.5))) {
      applyNames(draft, 'durable', pending)
    }
  }
  for (const [number, node] of nodes) {
    if (node.kind === 'directory') {
      if (node.seen !== node.durable) nodes.set(number, { ...node, seen: node.durable })
    } else if (node.pending.length > 0 || node.seen !== node.durable) {
      const bytes = survivingBytes(node, keep, random)
      nodes.set(number, { kind: 'file', seen: bytes, durable: bytes, pending: [] })
    }
  }
  return { nodes, pending: [] }
}

function survivingBytes({ durable, pending }: FileNode, keep: Keep, random: Random): Uint8Array {
  if (keep === 'none' || keep === 'names') return durable
  return pending.reduce((bytes, write) => {
    if (keep === 'all' || random.chance(0.4)) return writeAt(bytes, write)
    if (random.chance(0.4)) return bytes
    const torn = write.bytes.subarray(0, random.below(write.bytes.length))
    return torn.length === 0 ? bytes : writeAt(bytes, { ...write, bytes: torn })
  }, durable)
}
