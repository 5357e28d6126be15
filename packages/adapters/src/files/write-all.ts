/** A write that writes all bytes or fails. */
import type { OpenFile } from './file-system.ts'

/** Continues after a short write. @throws Error when the file accepts no more bytes. */
export async function writeAll(file: Pick<OpenFile, 'write'>, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at)
    if (bytesWritten === 0) throw new Error('The file takes no more bytes.')
    at += bytesWritten
  }
}
