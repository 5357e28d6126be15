/**
 * Loaded into the server before anything else (`node --import`), so that the unchanged `varve serve` runs on a disk and
 * a clock that can fail on request. The requests are messages from the parent process.
 *
 * The file system is Node's own, patched before the store imports it. LevelDB's batches fail at their write: before it
 * (nothing happened), or after it (it happened, but the caller gets an error). The clock is `Date.now`.
 */
import fs, { type FileHandle } from 'node:fs/promises'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Calls that can fail. */
export type FailingCall = 'open' | 'read' | 'write' | 'sync' | 'rename' | 'unlink' | 'commit' | 'late-commit'

export type Order =
  | { readonly fail: FailingCall; readonly code: string; readonly times: number }
  | { readonly clockAheadMs: number }
  | { readonly heal: true }
  | { readonly report: number }

export interface Report {
  /** That of the order. */
  readonly report: number
  /** Failures made so far, by call. */
  readonly hits: Readonly<Record<string, number>>
  /** Of the event loop since the last report, in milliseconds. */
  readonly lagP99: number
  readonly lagMax: number
}

const planned = new Map<FailingCall, { readonly code: string; times: number }>()
const hits: Record<string, number> = {}
const lag = monitorEventLoopDelay({ resolution: 20 })
let clockAheadMs = 0

function judge(call: FailingCall): void {
  const plan = planned.get(call)
  if (plan === undefined || plan.times <= 0) return
  plan.times--
  hits[call] = (hits[call] ?? 0) + 1
  throw Object.assign(new Error(`${plan.code}: as ordered, ${call}`), { code: plan.code, syscall: call })
}

/** Only what the store keeps: blobs, half-written blobs and their directories. */
const isOurs = (path: unknown): boolean => /[/\\](blobs|tmp)([/\\]|$)/.test(String(path))

const real = { open: fs.open, rename: fs.rename, unlink: fs.unlink, now: Date.now }

function watched(file: FileHandle): FileHandle {
  for (const call of ['read', 'write', 'sync'] as const) {
    const work = (file[call] as (...given: unknown[]) => Promise<unknown>).bind(file)
    Object.defineProperty(file, call, {
      value: async (...given: unknown[]) => {
        judge(call)
        return work(...given)
      },
    })
  }
  return file
}

Object.assign(fs, {
  async open(...given: Parameters<typeof real.open>) {
    if (!isOurs(given[0])) return real.open(...given)
    judge('open')
    return watched(await real.open(...given))
  },
  async rename(...given: Parameters<typeof real.rename>) {
    if (isOurs(given[0])) judge('rename')
    return real.rename(...given)
  },
  async unlink(...given: Parameters<typeof real.unlink>) {
    if (isOurs(given[0])) judge('unlink')
    return real.unlink(...given)
  },
})
syncBuiltinESMExports()
Date.now = () => real.now() + clockAheadMs

interface Batch {
  write(options: unknown): Promise<void>
}

/** The very module the adapters have. */
const { Level } = createRequire(import.meta.resolve('@varve/adapters'))('level') as {
  readonly Level: { prototype: { batch(...given: unknown[]): Batch } }
}
const batch = Level.prototype.batch
Level.prototype.batch = function (this: unknown, ...given: unknown[]): Batch {
  const made = batch.apply(this, given)
  if (given.length > 0) return made
  const write = made.write.bind(made)
  made.write = async (options) => {
    judge('commit')
    await write(options)
    judge('late-commit')
  }
  return made
}

process.on('message', (order: Order) => {
  if ('fail' in order) planned.set(order.fail, { code: order.code, times: order.times })
  else if ('clockAheadMs' in order) clockAheadMs = order.clockAheadMs
  else if ('heal' in order) planned.clear()
  else {
    const ms = (nanoseconds: number) => nanoseconds / 1e6
    const report: Report = { report: order.report, hits, lagP99: ms(lag.percentile(99)), lagMax: ms(lag.max) }
    lag.reset()
    process.send?.(report)
  }
})
// The server ends when its parent process is gone.
process.on('disconnect', () => process.exit(1))
// Listening must not keep a server alive that was asked to stop.
process.channel?.unref()
lag.enable()
