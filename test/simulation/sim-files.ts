/**
 * The file system that the disk adapter runs on: `FileSystem` over a disk image. Every call is an effect of the world.
 * An fsync that fails behaves as on Linux: the pages count as clean from then on, so what they held never reaches the
 * disk, though readers still see it and the next fsync succeeds.
 */
import type { DiskImage, DirectoryNode, Draft, FileNode, NameChange } from './disk-image.ts'
import { applyNames, emptyDirectory, rootNode, writeAt } from './disk-image.ts'
import { type Effects, systemError } from './world.ts'
import type { FileSystem, OpenFile } from '@varve/adapters'

export class SimFiles implements FileSystem {
  #image: DiskImage
  /** The part of the image that is not shared, so that it can be changed in place. */
  #draft: Draft | undefined
  /** Files open at the moment. */
  handles = 0
  readonly #effects: Effects
  readonly #onNamesSynced: (path: string) => void
  #nextNode: number
  /** Directories are made and never moved or removed: once found, they stay where they are. */
  readonly #directories = new Map<string, number>()

  constructor(effects: Effects, image: DiskImage, onNamesSynced: (path: string) => void = () => undefined) {
    this.#effects = effects
    this.#image = image
    this.#onNamesSynced = onNamesSynced
    this.#nextNode = Math.max(...image.nodes.keys()) + 1
  }

  get image(): DiskImage {
    this.#draft = undefined
    return this.#image
  }

  open(path: string, flags: 'r' | 'r+' | 'wx'): Promise<OpenFile> {
    return this.#effect(flags === 'wx' ? 'create' : 'open', path, () => {
      const found = this.#find(path)
      if (flags === 'wx') {
        if (found !== undefined) throw systemError('EEXIST')
        return this.#handle(this.#make(path, { kind: 'file', seen: empty, durable: empty, pending: [] }), path)
      }
      if (found === undefined) throw systemError('ENOENT')
      return this.#handle(found, path)
    })
  }

  mkdir(path: string): Promise<void> {
    return this.#effect('mkdir', path, () => {
      if (this.#find(path) !== undefined) throw systemError('EEXIST')
      this.#make(path, emptyDirectory)
    })
  }

  rename(from: string, to: string): Promise<void> {
    return this.#effect('rename', from, () => {
      const node = this.#existing(from)
      this.#rename({ removed: this.#place(from), added: { ...this.#place(to), node } })
    })
  }

  unlink(path: string): Promise<void> {
    return this.#effect('unlink', path, () => {
      this.#existing(path)
      this.#rename({ removed: this.#place(path) })
    })
  }

  readdir(path: string): Promise<string[]> {
    return this.#effect('readdir', path, () => [...this.#directory(this.#existing(path)).seen.keys()])
  }

  stat(path: string): Promise<{ dev: bigint; ino: bigint }> {
    return this.#effect('stat', path, () => ({ dev: 1n, ino: BigInt(this.#existing(path)) }))
  }

  sizes(paths: readonly string[]): Promise<readonly number[]> {
    return this.#effect('stat', paths[0] ?? '', () => paths.map((path) => this.#file(this.#existing(path)).seen.length))
  }

  statfs(path: string) {
    const free = 1_000_000
    return this.#effect('statfs', path, () => ({ bsize: 4096, blocks: free, bavail: free, files: free, ffree: free }))
  }

  /** What is in a directory, seen from outside the machine. */
  namesIn(path: string): readonly string[] {
    const found = this.#find(path)
    return found === undefined ? [] : [...this.#directory(found).seen.keys()]
  }

  #handle(number: number, path: string): OpenFile {
    this.handles++
    let open = true
    const effect = <T>(operation: string, happen: () => T, onFault?: () => void) =>
      this.#effect(
        operation,
        path,
        () => {
          if (!open) throw systemError('EBADF')
          return happen()
        },
        onFault,
      )
    return {
      read: (buffer, offset, length, position) =>
        effect('read', () => {
          const bytes = this.#file(number).seen.subarray(position, position + length)
          buffer.set(bytes, offset)
          return { bytesRead: bytes.length }
        }),
      // Nothing can come between a program and itself.
      readSync: (buffer, offset, length, position) => {
        if (!open) throw systemError('EBADF')
        const bytes = this.#file(number).seen.subarray(position, position + length)
        buffer.set(bytes, offset)
        return bytes.length
      },
      write: (buffer, offset, length, position) =>
        effect('write', () => {
          // The system may take fewer bytes than it is given.
          const bytesWritten = this.#effects.random.chance(0.1) ? Math.ceil(length / 2) : length
          const write = { at: position, bytes: Uint8Array.from(buffer.subarray(offset, offset + bytesWritten)) }
          const { seen, durable, pending } = this.#file(number)
          this.#set(number, { kind: 'file', seen: writeAt(seen, write), durable, pending: [...pending, write] })
          return { bytesWritten }
        }),
      // Times are nothing the simulated disk keeps, so this is all an fsync of a file does.
      datasync: () =>
        effect(
          'fdatasync',
          () => this.#syncBytes(number),
          () => this.#loseBytes(number),
        ),
      stat: () => effect('fstat', () => ({ size: this.#file(number).seen.length })),
      sync: () => {
        const node = this.#image.nodes.get(number)
        return node?.kind === 'directory'
          ? effect(
              'fsyncdir',
              () => this.#syncNames(number, path),
              () => this.#doomNames(number),
            )
          : effect(
              'fsync',
              () => this.#syncBytes(number),
              () => this.#loseBytes(number),
            )
      },
      close: async () => {
        // A close that fails has closed the file all the same.
        const shut = () => {
          if (open) this.handles--
          open = false
        }
        await this.#effect('close', path, shut, shut)
      },
    }
  }

  #syncBytes(number: number): void {
    const { seen, durable, pending } = this.#file(number)
    const synced = pending.reduce(writeAt, durable)
    // One array where they are the same bytes: then nothing is unsynced.
    this.#set(number, { kind: 'file', seen, durable: Buffer.compare(synced, seen) === 0 ? seen : synced, pending: [] })
  }

  #loseBytes(number: number): void {
    this.#set(number, { ...this.#file(number), pending: [] })
  }

  #syncNames(directory: number, path: string): void {
    this.#onNamesSynced(path)
    const draft = this.#drafted()
    const touched = (change: NameChange) => !change.doomed && touches(change, directory)
    const { pending } = this.#image
    // A new store syncs many directories in which nothing was done, while much is pending elsewhere.
    if (!pending.some(touched)) return this.#keep(pending)
    const settled = pending.filter(touched)
    for (const change of settled) applyNames(draft, 'durable', change)
    const left = pending.filter((change) => !touched(change))
    this.#keep(left.map((change) => (change.doomed ? withoutOlder(change, settled, pending) : change)))
  }

  #doomNames(directory: number): void {
    const pending = this.#image.pending.map((change) =>
      touches(change, directory) ? { ...change, doomed: true } : change,
    )
    this.#keep(pending)
  }

  #rename(change: NameChange): void {
    applyNames(this.#drafted(), 'seen', change)
    this.#keep([...this.#image.pending, change])
  }

  #make(path: string, node: FileNode | DirectoryNode): number {
    const number = this.#nextNode++
    const place = this.#place(path)
    this.#set(number, node)
    this.#rename({ added: { ...place, node: number } })
    return number
  }

  #set(number: number, node: FileNode | DirectoryNode): void {
    this.#drafted().nodes.set(number, node)
    this.#keep(this.#image.pending)
  }

  #drafted(): Draft {
    this.#draft ??= { nodes: new Map(this.#image.nodes), own: new Set() }
    return this.#draft
  }

  #keep(pending: readonly NameChange[]): void {
    this.#image = { nodes: this.#drafted().nodes, pending }
  }

  #place(path: string): { directory: number; name: string } {
    const cut = path.lastIndexOf('/')
    const directory = this.#existing(path.slice(0, cut))
    this.#directory(directory)
    return { directory, name: path.slice(cut + 1) }
  }

  #existing(path: string): number {
    const found = this.#find(path)
    if (found === undefined) throw systemError('ENOENT')
    return found
  }

  #find(path: string): number | undefined {
    const known = this.#directories.get(path)
    if (known !== undefined) return known
    if (path === '' || path === '/') return rootNode
    const cut = path.lastIndexOf('/')
    const parent = this.#find(path.slice(0, cut))
    const found = parent === undefined ? undefined : this.#directory(parent).seen.get(path.slice(cut + 1))
    if (found !== undefined && this.#image.nodes.get(found)?.kind === 'directory') this.#directories.set(path, found)
    return found
  }

  #directory(number: number): DirectoryNode {
    const node = this.#image.nodes.get(number)
    if (node?.kind !== 'directory') throw systemError('ENOTDIR')
    return node
  }

  #file(number: number): FileNode {
    const node = this.#image.nodes.get(number)
    if (node?.kind !== 'file') throw systemError('EISDIR')
    return node
  }

  #effect<T>(operation: string, path: string, happen: () => T, onFault?: () => void): Promise<T> {
    return this.#effects.effect({ operation, subject: path }, happen, onFault)
  }
}

const empty = new Uint8Array()

const touches = ({ removed, added }: NameChange, directory: number): boolean =>
  removed?.directory === directory || added?.directory === directory

/** A name is on the disk as it was last synced: what was done to it earlier, and did not come there, never will. */
function withoutOlder(change: NameChange, settled: readonly NameChange[], order: readonly NameChange[]): NameChange {
  const later = settled.filter((each) => order.indexOf(each) > order.indexOf(change))
  const isOver = (place: NameChange['removed']) =>
    place !== undefined &&
    later.some(({ removed, added }) =>
      [removed, added].some((each) => each?.directory === place.directory && each.name === place.name),
    )
  const { removed, added, ...rest } = change
  return {
    ...rest,
    ...(removed === undefined || isOver(removed) ? {} : { removed }),
    ...(added === undefined || isOver(added) ? {} : { added }),
  }
}
