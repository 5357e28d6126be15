/** The directory in which a bench writes: empty at the beginning, and removed or empty again at the end. */
import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { StorageError } from '@varve/core'
import type { Estimate } from './estimate.ts'
import { UsageError } from '../basics/usage-error.ts'

export interface Workspace {
  readonly path: string
  /** An empty directory. */
  directory(name: string): Promise<string>
  remove(): Promise<void>
}

/** @throws UsageError for a directory that is not empty */
export async function openWorkspace(dir: string | undefined): Promise<Workspace> {
  if (dir === undefined) return workspaceAt(await mkdtemp(join(tmpdir(), 'varve-bench-')))
  const path = resolve(dir)
  const existing = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    if (error.code === 'ENOTDIR') throw new UsageError(`${dir} is a file, not a directory.`)
    throw error
  })
  if (existing !== undefined && existing.length > 0) {
    throw new UsageError(`${dir} is not empty: a bench writes to a directory of its own.`)
  }
  if (existing === undefined) await mkdir(path, { recursive: true })
  const inside = await mkdtemp(join(path, 'varve-bench-'))
  return workspaceAt(inside, () =>
    existing === undefined ? rm(path, { recursive: true, force: true }) : Promise.resolve(),
  )
}

function workspaceAt(path: string, removeMore: () => Promise<void> = () => Promise.resolve()): Workspace {
  let count = 0
  return {
    path,
    async directory(name) {
      const made = join(path, `${++count}-${name}`)
      await mkdir(made)
      return made
    },
    async remove() {
      // Windows may still hold the files of a process that was just killed.
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
      await removeMore()
    },
  }
}

/** @throws StorageError `NoSpace` */
export async function assertRoom({ path }: Workspace, { atOnce }: Estimate): Promise<void> {
  const { bavail, bsize } = await statfs(path)
  const free = bavail * bsize
  if (free >= atOnce) return
  const [needed, there] = [atOnce, free].map((bytes) => `${(bytes / 2 ** 30).toFixed(1)} GiB`)
  throw new StorageError(
    'NoSpace',
    `The bench may need ${needed} at once, and ${there} are free: try --scale or --dir.`,
  )
}
