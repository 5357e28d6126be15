/** Whether one path is in another, by the real paths of both, which need not exist. */
import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** The path without symbolic links, as far as it exists. */
export async function realPathOf(path: string): Promise<string> {
  const whole = resolve(path)
  try {
    return await realpath(whole)
  } catch {
    const parent = dirname(whole)
    return parent === whole ? whole : join(await realPathOf(parent), basename(whole))
  }
}

/** Whether `path` is `directory` or is in it. Both are real paths. */
export function isWithin(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The directories that a path is in, the nearest one first. */
export function* directoriesAround(path: string): Generator<string> {
  for (let [at, next] = [path, dirname(path)]; next !== at; [at, next] = [next, dirname(next)]) yield next
}
