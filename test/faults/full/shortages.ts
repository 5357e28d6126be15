/** The ways in which room runs out, and comes back. */
import { mkdir, open, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from '../machine/run.ts'
import { unmount } from '../machine/unmount.ts'
import { LoopImage } from '../power/loop-image.ts'

export interface Shortage {
  readonly name: string
  /** The store's reserve is left: operations that free room still work, and the store stays as it is. */
  readonly gentle: boolean
  /** Makes the place a store can be in. Resolves with what unmakes it. */
  make(point: string, scratch: string): Promise<() => Promise<void>>
  begin(point: string, pid: number): Promise<void>
  end(point: string, pid: number): Promise<void>
}

const sizeBytes = 384 * 1024 * 1024
/** Less than the store keeps back (64 MiB, 64 files), and more than it needs for itself. */
const littleBytes = 40 * 1024 * 1024
const littleFiles = 40
/** The store checks the free room at most once a second. */
const noticeMs = 1100

const onTmpfs = (options: string) => async (point: string) => {
  await mkdir(point, { recursive: true })
  await run('mount', '-t', 'tmpfs', '-o', options, 'none', point)
  return () => unmount(point)
}

async function onExt4(point: string, scratch: string): Promise<() => Promise<void>> {
  const image = await LoopImage.make(join(scratch, 'image'), 'ext4')
  await image.mount(point)
  return () => image.remove()
}

const inPlace = async (point: string) => {
  await mkdir(point, { recursive: true })
  return () => rm(point, { recursive: true, force: true })
}

const ballast = (point: string) => join(point, 'ballast')

/** Takes all bytes but so many. */
async function takeBytes(point: string, left: number): Promise<void> {
  await mkdir(ballast(point))
  const { bavail, bsize } = await statfs(point)
  const bulk = bavail * bsize - left - 1024 * 1024
  if (bulk > 0) await run('fallocate', '-l', String(bulk), join(ballast(point), 'bulk'))
  const rest = await open(join(ballast(point), 'rest'), 'w')
  try {
    for (const block = Buffer.alloc(4096); ; ) {
      const { bavail: free } = await statfs(point)
      if (left > 0 && free * bsize <= left) return
      await rest.write(block)
      if (left === 0) await rest.datasync()
    }
  } catch (error) {
    if (left > 0) throw error
  } finally {
    await rest.close()
  }
}

async function takeFiles(point: string, left: number): Promise<void> {
  await mkdir(ballast(point))
  for (let i = (await statfs(point)).ffree; i > left; i--) await writeFile(join(ballast(point), String(i)), '')
}

const giveBack = (point: string) => rm(ballast(point), { recursive: true, force: true })

/** Limits the size of the process's files, in bytes, while it runs. */
const limitFiles = (pid: number, bytes: number | 'unlimited') =>
  run('prlimit', '--pid', String(pid), `--fsize=${bytes}:unlimited`)

const bytesGone = (name: string, make: Shortage['make'], left: number): Shortage => ({
  name,
  gentle: left > 0,
  make,
  async begin(point) {
    await takeBytes(point, left)
    if (left > 0) await delay(noticeMs)
  },
  end: giveBack,
})

const filesGone = (name: string, left: number): Shortage => ({
  name,
  gentle: left > 0,
  make: onTmpfs(`size=${sizeBytes},nr_inodes=3000`),
  async begin(point) {
    await takeFiles(point, left)
    if (left > 0) await delay(noticeMs)
  },
  end: giveBack,
})

const smallFiles = (name: string, bytes: number): Shortage => ({
  name,
  gentle: false,
  make: inPlace,
  begin: async (_, pid) => void (await limitFiles(pid, bytes)),
  end: async (_, pid) => void (await limitFiles(pid, 'unlimited')),
})

export const shortages: readonly Shortage[] = [
  bytesGone('few bytes left, tmpfs', onTmpfs(`size=${sizeBytes}`), littleBytes),
  bytesGone('no bytes left, tmpfs', onTmpfs(`size=${sizeBytes}`), 0),
  bytesGone('few bytes left, ext4', onExt4, littleBytes),
  bytesGone('no bytes left, ext4', onExt4, 0),
  filesGone('few files left', littleFiles),
  filesGone('no files left', 0),
  smallFiles('files of 1 MiB at most', 1024 * 1024),
  smallFiles('files of 1 KiB at most', 1024),
]
