/**
 * Tries calls again that fail for a moment: on Windows, a scanner or an indexer that has a file open makes renaming, removing and opening
 * it fail. An fsync is never tried again, because its second call would succeed for lost bytes: open files are passed on as they are.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { errnoOf } from './errno.ts'
import type { FileSystem } from './file-system.ts'

/** How time passes between two attempts. */
export interface Patience {
  /** Milliseconds since some moment, which never run backwards. */
  monotonic(): number
  pause(ms: number): Promise<void>
}

/** These are mostly permanent errors, so each costs about a third of a second at most. */
const pausesMs = [10, 20, 40, 80, 160]
const limitMs = 1000

const transient: ReadonlySet<string> = new Set(['EPERM', 'EBUSY', 'EACCES'])
/** `EPERM` also says that a file system has no links: then bytes are copied, at once. */
const transientOfLinks: ReadonlySet<string> = new Set(['EBUSY'])

/** Keeps the process alive, as the call that it waits for does. */
const systemPatience: Patience = { monotonic: () => performance.now(), pause: (ms) => delay(ms) }

const patientOnes = new WeakSet<FileSystem>()

/** The same file system, with further attempts. One that has them stays as it is. */
export function patient<F extends FileSystem>(fs: F, patience: Patience = systemPatience): F {
  if (patientOnes.has(fs)) return fs
  const again = <T>(call: () => Promise<T>, codes = transient): Promise<T> => attempts(call, codes, patience)
  const calls: FileSystem = {
    open: (path, flags, mode) => again(() => fs.open(path, flags, mode)),
    mkdir: (path, mode) => again(() => fs.mkdir(path, mode)),
    rename: (from, to) => again(() => fs.rename(from, to)),
    unlink: (path) => again(() => fs.unlink(path)),
    readdir: (path) => again(() => fs.readdir(path)),
    stat: (path) => again(() => fs.stat(path)),
    sizes: (paths) => again(() => fs.sizes(paths)),
    statfs: (path) => again(() => fs.statfs(path)),
    ...(fs.link && { link: (from: string, to: string) => again(async () => fs.link?.(from, to), transientOfLinks) }),
    ...(fs.pin && { pin: (path: string) => (fs.pin as NonNullable<FileSystem['pin']>)(path) }),
  }
  patientOnes.add(calls)
  return calls as F
}

async function attempts<T>(call: () => Promise<T>, codes: ReadonlySet<string>, patience: Patience): Promise<T> {
  let since: number | undefined
  for (let attempt = 0; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      const pause = pausesMs[attempt]
      if (pause === undefined || !codes.has(errnoOf(error))) throw error
      since ??= patience.monotonic()
      if (patience.monotonic() - since + pause > limitMs) throw error
      await patience.pause(pause)
    }
  }
}
