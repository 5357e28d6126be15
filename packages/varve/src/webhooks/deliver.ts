/**
 * Delivers notifications to one webhook, in the order of the log, each at least once. It goes on to the next event only
 * after the receiver accepted the one before, however long that takes, and keeps its position across restarts.
 */
import type { NotificationRecord, Seq, Store } from '@varve/core'
import { rest } from '../jobs/rest.ts'
import type { Cursor } from './cursor.ts'
import type { Webhook } from './webhook.ts'

export interface DeliveryOptions {
  /** The first pause between attempts, in milliseconds; it doubles up to `retryMsMax`. */
  readonly retryMs: number
  readonly retryMsMax: number
  /** How long a receiver may take to answer, in milliseconds. */
  readonly timeoutMs: number
  /** The shortest time between two writes of the cursor, in milliseconds. */
  readonly rememberMs: number
  /** Called when an attempt failed and will be repeated. */
  readonly onFailure?: (error: unknown) => void
}

export const deliveryDefaults: DeliveryOptions = {
  retryMs: 1000,
  retryMsMax: 5 * 60_000,
  timeoutMs: 30_000,
  rememberMs: 1000,
}

/** Resolves when the signal aborts or the store is closed. */
export async function deliver(
  store: Store,
  webhook: Webhook,
  { cursor, ...options }: DeliveryOptions & { readonly cursor: Cursor },
  signal: AbortSignal,
): Promise<void> {
  const place = new Place(cursor, await cursor.read(store.seq), options.rememberMs)
  try {
    const { seq: from } = place
    // Otherwise a webhook for which nothing happens would read the whole log again after each restart.
    const onPassed = (seq: Seq): Promise<void> => place.reached(seq)
    for await (const one of store.notifications({ from: from + 1, follow: true, signal, onPassed })) {
      if (one.target.arn === webhook.arn) await untilTaken(webhook, one.record, options, signal)
      if (one.isLast) await place.reached(one.seq)
    }
  } catch (error) {
    if (!signal.aborted && store.state !== 'closed') throw error
  } finally {
    await place.remember()
  }
}

class Place {
  readonly #cursor: Cursor
  readonly #rememberMs: number
  #seq: Seq
  #written: Seq
  #writtenAt = Date.now()

  constructor(cursor: Cursor, seq: Seq, rememberMs: number) {
    this.#cursor = cursor
    this.#rememberMs = rememberMs
    this.#seq = this.#written = seq
  }

  get seq(): Seq {
    return this.#seq
  }

  async reached(seq: Seq): Promise<void> {
    this.#seq = seq
    if (Date.now() - this.#writtenAt < this.#rememberMs) return
    await this.remember()
  }

  async remember(): Promise<void> {
    if (this.#seq === this.#written) return
    this.#writtenAt = Date.now()
    await this.#cursor.write(this.#seq)
    this.#written = this.#seq
  }
}

async function untilTaken(
  webhook: Webhook,
  record: NotificationRecord,
  { retryMs, retryMsMax, timeoutMs, onFailure }: DeliveryOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let pause = retryMs; ; pause = Math.min(pause * 2, retryMsMax)) {
    const failure = await attempt(webhook, record, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
    if (failure === undefined) return
    signal.throwIfAborted()
    onFailure?.(failure)
    await rest(pause, signal)
    signal.throwIfAborted()
  }
}

/** Resolves with the error, or with `undefined` after an answer of 2xx. */
async function attempt(
  { url, headers }: Webhook,
  record: NotificationRecord,
  signal: AbortSignal,
): Promise<Error | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ Records: [record] }),
      redirect: 'error',
      signal,
    })
    await answer.body?.cancel()
    return answer.ok ? undefined : new Error(`The webhook answered with status ${answer.status}.`)
  } catch (error) {
    return new Error('The webhook could not be reached.', { cause: error })
  }
}
