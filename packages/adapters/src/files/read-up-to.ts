/** Reads that continue after a short read until they have all requested bytes. */
import type { OpenFile } from './file-system.ts'

/** Reads `length` bytes from `position` on, or as many as there are. */
export async function readUpTo(file: Pick<OpenFile, 'read'>, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  return bytes.subarray(0, await readInto(file, bytes, position))
}

/** Fills `into` from `position` on, or as far as there are bytes. Returns how many there are. */
export async function readInto(file: Pick<OpenFile, 'read'>, into: Uint8Array, position: number): Promise<number> {
  let filled = 0
  for (let bytesRead = 1; bytesRead > 0 && filled < into.length; filled += bytesRead) {
    bytesRead = (await file.read(into, filled, into.length - filled, position + filled)).bytesRead
  }
  return filled
}
