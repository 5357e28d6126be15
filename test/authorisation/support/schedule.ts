/** One request under way, stalled where it waits, while another principal changes what it was authorised on. */
import { respond } from '#http/render/respond'
import { createService, type Service } from '#http/pipeline/service-options'
import type { RequestStore, Store } from '@varve/core'
import { change } from './changes.ts'
import type { Grant, Prepared } from './grants.ts'
import { alice, bob, carol, noon, wireHead } from './people.ts'
import type { Sketch } from './requests.ts'
import { hashing, SteppedStore } from './stepped-store.ts'

export const requestId = 'VICTIM'

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A change at the n-th place where the request waits. */
export interface Interference {
  readonly at: number
  readonly change: string
  readonly bucket: 'box' | 'from' | 'empty'
}

export interface Plan {
  readonly interferences: readonly Interference[]
  /** The server has answered requests about the buckets before. */
  readonly isKnown: boolean
}

export interface Outcome {
  readonly store: Store
  /** The positions between which the request was under way. */
  readonly began: number
  readonly ended: number
  readonly answer: Answered
  /** How often it waited. */
  readonly waits: number
}

type Wait = () => Promise<void>
const never: Wait = () => Promise.resolve()

const serviceOf = (store: RequestStore): Service =>
  createService({ store, identities: [alice, bob, carol], hashing, bucketDefaults: 'open', now: () => noon })

/** Sends a request to a store. */
export const send = (store: RequestStore, sketch: Sketch, grant: Pick<Grant, 'victim'>): Promise<Answered> =>
  sendTo(serviceOf(store), sketch, grant, never)

async function sendTo(
  service: Service,
  sketch: Sketch,
  { victim }: Pick<Grant, 'victim'>,
  wait: Wait,
): Promise<Answered> {
  const answer = await respond(service, {
    ...wireHead(sketch, victim),
    body: pieces(sketch.body ?? '', wait),
    secure: false,
    requestId,
    client: { signal: new AbortController().signal, onOver: () => undefined },
    trace: {},
  })
  return { status: answer.status, headers: answer.headers, body: await textOf(answer.body) }
}

async function* pieces(text: string, wait: Wait): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  const length = Math.max(1, Math.ceil(bytes.length / 3))
  for (let at = 0; at < bytes.length; at += length) {
    await wait()
    yield Uint8Array.from(bytes.subarray(at, at + length))
  }
  await wait()
}

async function textOf(body: Uint8Array | AsyncIterable<Uint8Array> | undefined): Promise<string> {
  if (body === undefined) return ''
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks).toString()
}

export async function runSchedule(
  prepared: Prepared,
  grant: Grant,
  sketch: Sketch,
  { interferences, isKnown }: Plan,
): Promise<Outcome> {
  const world = await SteppedStore.open(prepared.world)
  const { store } = world
  const service = serviceOf(store)
  if (isKnown) {
    for (const bucket of ['box', 'from']) await sendTo(service, { line: `HEAD /${bucket}` }, { victim: alice }, never)
  }
  const began = store.seq
  const changing = new Set<Promise<unknown>>()
  let waits = 0
  let isOver = false
  const wait = async (): Promise<void> => {
    // What another does is not stalled.
    if (isOver || changing.size > 0) return
    const at = waits++
    for (const one of interferences) {
      if (one.at !== at) continue
      const made: Promise<unknown> = change(one.change, store, one.bucket).finally(() => changing.delete(made))
      changing.add(made)
      // It may need the turn that the request has: then it follows at once.
      await Promise.race([made, aWhile()])
    }
  }
  world.schedule(wait)
  const answer = await sendTo(service, sketch, grant, wait)
  isOver = true
  const ended = store.seq
  await Promise.all(changing)
  return { store, began, ended, answer, waits }
}

async function aWhile(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve))
}
