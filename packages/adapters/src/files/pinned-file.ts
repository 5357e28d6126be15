/** A file that stays readable after its name is removed, and what the file system notes about it. */
import { closeSync, fstatSync, openSync, read } from 'node:fs'
import { promisify } from 'node:util'

/** A program that writes into the file, or puts another one in its place, changes at least one of these. */
export interface FileStamp {
  readonly size: number
  readonly ino: bigint
  /** When the bytes were written last. Programs can set it. */
  readonly mtimeNs: bigint
  /** When the bytes or the properties of the file were changed last, by the clock of the file system. */
  readonly ctimeNs: bigint
}

export interface PinnedFile {
  readonly stamp: FileStamp
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
  close(): void
}

const readInto = promisify(read)

/** Synchronous, because an asynchronous call costs several times as much. */
export function pinFile(path: string): PinnedFile {
  const fd = openSync(path, 'r')
  try {
    const { size, ino, mtimeNs, ctimeNs } = fstatSync(fd, { bigint: true })
    return {
      stamp: { size: Number(size), ino, mtimeNs, ctimeNs },
      read: (buffer, offset, length, position) => readInto(fd, buffer, offset, length, position),
      close: () => closeSync(fd),
    }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}
