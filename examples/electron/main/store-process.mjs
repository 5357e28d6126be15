/**
 * Keeps the process that owns the store running, and an attached store for it. If the process ends, it is started again:
 * calls that were under way fail with `StoreClosed`, and later ones wait for the new process.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { attachStore, isStorageError, StorageError } from 'varve'

/** Milliseconds before each new start; the last one repeats. A process that ran for a minute begins anew. */
const pauses = [0, 100, 1000, 5000]
const steadyMs = 60_000
const closeMs = 10_000
/** The process has first that it is ready, so a slow answer is no sign of a dead one. */
const answerMs = 60_000

/**
 * @param {{ dir: string, program: string, fork(program: string, args: readonly string[]): Pick<import('electron').UtilityProcess, 'once' | 'on' | 'postMessage' | 'kill' | 'pid'> }} options
 */
export function superviseStore({ dir, program, fork }) {
  const closing = new AbortController()
  let child
  let current = start()
  const running = keepRunning()

  async function keepRunning() {
    for (let failures = 0; !closing.signal.aborted; failures++) {
      const began = Date.now()
      const session = current
      await (await session).ended
      if (Date.now() - began > steadyMs) failures = 0
      if (closing.signal.aborted || (await session).refused !== undefined) return
      current = pause(pauses[Math.min(failures, pauses.length - 1)], undefined, { signal: closing.signal })
        .catch(() => undefined)
        .then(start)
    }
  }

  async function start() {
    if (closing.signal.aborted) return { ended: Promise.resolve(), refused: closedError() }
    const forked = fork(program, [dir])
    child = forked
    const ended = new Promise((resolve) => forked.once('exit', resolve))
    const first = await new Promise((resolve) => {
      forked.on('message', resolve)
      void ended.then(() => resolve(undefined))
    })
    if (first?.kind === 'refused') {
      forked.kill()
      return { ended, refused: new StorageError(first.code ?? 'StoreClosed', first.message) }
    }
    const store = first === undefined ? undefined : await attachStore(dir, { answerMs }).catch(() => undefined)
    if (store === undefined) forked.kill()
    else void ended.then(() => store.close().catch(() => undefined))
    return { ended, store }
  }

  return {
    get pid() {
      return child?.pid
    },
    /**
     * Runs `work` on the store when it is open.
     * @throws StorageError `StoreClosed` when the process of the store ends meanwhile; why the store does not open
     */
    async use(work) {
      for (;;) {
        const session = await current
        if (session.refused !== undefined) throw session.refused
        if (session.store !== undefined) return work(session.store)
        await session.ended
        // Lets the supervisor put the next session in place.
        await pause(10)
        if (closing.signal.aborted) throw closedError()
      }
    },
    async close() {
      closing.abort()
      const session = await current
      await session.store?.close().catch((error) => {
        if (!isStorageError(error)) throw error
      })
      child?.postMessage({ kind: 'close' })
      await Promise.race([session.ended, pause(closeMs, undefined, { ref: false })])
      child?.kill()
      await running
    },
  }
}

const closedError = () => new StorageError('StoreClosed', 'The app is being closed.')
