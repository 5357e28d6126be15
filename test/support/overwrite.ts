import { open, stat } from 'node:fs/promises'

export const sizeOf = async (path: string): Promise<number> => (await stat(path)).size

const windowBytes = 4096

/** Changes bytes of a file in place, from a position on. */
export async function overwrite(path: string, at: number, change: (bytes: Uint8Array) => unknown): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const { bytesRead, buffer } = await file.read(new Uint8Array(windowBytes), 0, windowBytes, at)
    const bytes = buffer.subarray(0, bytesRead)
    change(bytes)
    await file.write(bytes, 0, bytesRead, at)
  } finally {
    await file.close()
  }
}
