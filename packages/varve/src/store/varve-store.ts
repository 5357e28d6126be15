/** What is around core's store: live events, a scratch journal for verification, and an end that ends everything. */
import { closeAll, type LayoutName } from '@varve/adapters'
import {
  cancelable,
  type Cancelable,
  type ClockStatus,
  type Journal,
  optionsOf,
  scrubOptions,
  type ScrubOptions,
  StorageError,
  type Store,
  type VerifyOptions,
  verifyOptions,
} from '@varve/core'
import { expireIdleReads, type IdleReads } from '../jobs/idle-reads.ts'
import { applyEveryDay, type LifecycleSchedule } from '../jobs/lifecycle-schedule.ts'
import { scrubAgainAndAgain, type ScrubSchedule } from '../jobs/scrub-schedule.ts'
import type { Cursor } from '../webhooks/cursor.ts'
import { deliver, deliveryDefaults } from '../webhooks/deliver.ts'
import type { Webhook } from '../webhooks/webhook.ts'
import { observeTime } from '../jobs/observe-time.ts'
import { warnOfListener } from '../jobs/call-listener.ts'
import { storeEvents } from './store-events.ts'
import { type Home, StoreFace, type VarveStore } from './store-face.ts'

export type { VarveStore }

/** An empty journal for verification, and how to be rid of it. */
export interface Scratch {
  readonly journal: Journal
  remove(): Promise<void>
}

export interface Shell {
  readonly storeId: string
  readonly dir?: string
  readonly layout?: LayoutName
  openScratch(): Promise<Scratch>
  /** Closes what lies under the core store. Called once, when nothing uses it any more. */
  closePorts(): Promise<void>
  /** Called when the state of the clock changes. */
  onClock?(status: ClockStatus): void
  /** How often due bytes are erased, in milliseconds; 0 for never. */
  readonly sweepEveryMs: number
  /** How long bodies may be left unread. */
  readonly idleReads: IdleReads
  /** Whether to look for blobs that nothing names, in the background. */
  readonly sweepOrphans: boolean
  /** Lifecycle rules are applied by themselves; absent: only when somebody asks. */
  readonly lifecycle?: LifecycleSchedule
  /** Who is told what happens, and how far they were told. */
  readonly webhooks?: readonly { readonly webhook: Webhook; readonly cursor: Cursor }[]
  /** How to look for damage in the background. */
  readonly scrub?: ScrubSchedule
}

export function varveStore(core: Store, shell: Shell): VarveStore {
  const { events, emit } = storeEvents()
  const end = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  let closing: Promise<void> | undefined

  const track = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.catch(() => undefined).finally(() => underWay.delete(settled))
    underWay.add(settled)
    return work
  }

  const untilEnd = ({ signal }: Cancelable) => eitherSignal(signal, end.signal)

  const verify = async (of: Store, given?: VerifyOptions) => {
    const options = optionsOf(verifyOptions, given)
    const signal = untilEnd(options)
    if (options.scratch !== undefined) return of.verify({ ...options, signal })
    const scratch = await shell.openScratch()
    try {
      return await of.verify({ ...options, signal, scratch: scratch.journal })
    } finally {
      await scratch.remove()
    }
  }

  const stopEvents = core.subscribe((committed) => committed.forEach(emit))
  const stopTimers = [
    observeTime(core, (status) => shell.onClock?.(status)),
    sweepEvery(core, shell.sweepEveryMs, track),
    expireIdleReads(core, shell.idleReads),
  ]
  if (shell.sweepOrphans) void track(core.sweep({ orphans: true })).catch(() => undefined)

  if (shell.scrub !== undefined) void track(scrubAgainAndAgain(core, shell.scrub, end.signal)).catch(warnOfListener)

  const scrub = async (of: Store, given?: ScrubOptions) => {
    const options = optionsOf(scrubOptions, given)
    return of.scrub({ ...options, signal: untilEnd(options) })
  }

  if (shell.lifecycle !== undefined) void track(applyEveryDay(core, shell.lifecycle, end.signal)).catch(warnOfListener)

  for (const { webhook, cursor } of shell.webhooks ?? []) {
    void track(deliver(core, webhook, { ...deliveryDefaults, cursor }, end.signal)).catch(warnOfListener)
  }

  const closeStore = async (): Promise<void> => {
    for (const stop of stopTimers) stop()
    end.abort(new StorageError('StoreClosed', 'The store is closed.'))
    await closeAll([() => core.close(), () => Promise.all(underWay), stopEvents, () => shell.closePorts()])
  }

  const home: Home = {
    events,
    storeId: shell.storeId,
    ...(shell.dir !== undefined && { dir: shell.dir }),
    ...(shell.layout !== undefined && { layout: shell.layout }),
    verify: (of, options) => track(verify(of, options)),
    scrub: (of, options) => track(scrub(of, options)),
    applyLifecycle: async (of, options) =>
      track(of.applyLifecycle({ signal: untilEnd(optionsOf(cancelable, options)) })),
    close: () => (closing ??= closeStore()),
  }
  return new StoreFace(core, home)
}

/** Retention ends by the clock and not with a commit, so someone has to look. Returns the function that stops it. */
function sweepEvery(core: Store, everyMs: number, track: <T>(work: Promise<T>) => Promise<T>): () => void {
  if (everyMs === 0) return () => undefined
  const timer = setInterval(() => {
    if (core.state === 'open') void track(core.sweep()).catch(() => undefined)
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

function eitherSignal(given: AbortSignal | undefined, end: AbortSignal): AbortSignal {
  if (given === undefined) return end
  if (given instanceof AbortSignal) return AbortSignal.any([given, end])
  throw new StorageError('InvalidArgument', 'options.signal must be an AbortSignal of this runtime.')
}
