/** The bytes that a directory takes on the disk, as the file system reports them. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

const blockBytes = 512

export async function directorySize(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true })
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const { blocks, size } = await lstat(join(directory, entry))
      // Windows does not report blocks.
      return blocks > 0 ? blocks * blockBytes : size
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
