/** Whether one path lies in the directory of another. */
import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** Also through symbolic links, and if the path is the directory itself. Neither has to exist. */
export async function isWithin(directory: string, path: string): Promise<boolean> {
  const way = relative(await realPathOf(directory), await realPathOf(path))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The real path of the part that exists, with the rest behind it. */
async function realPathOf(path: string): Promise<string> {
  const full = resolve(path)
  const parent = dirname(full)
  return realpath(full).catch(async () => (parent === full ? full : join(await realPathOf(parent), basename(full))))
}
