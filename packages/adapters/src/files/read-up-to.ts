/** Reads that continue after a short read until they have all requested bytes. */
import type { OpenFile } from './file-system.ts'

/** Reads `length` bytes from `position` on, or as many as there are. */
export async function readUpTo(file: Pick<OpenFile, 'read'>, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let filled = 0
  for (let bytesRead = 1; bytesRead > 0 && filled < length; filled += bytesRead) {
    bytesRead = (await file.read(bytes, filled, length - filled, position + filled)).bytesRead
  }
  return bytes.subarray(0, filled)
}
