/** Holds what a request did and was answered against the log. */
import type { RecordedEvent, Store } from '@varve/core'
import type { Grant } from './grants.ts'
import { type Noted, pastRequestStore } from './replay.ts'
import type { Sketch } from './requests.ts'
import { type Answered, type Outcome, requestId, send } from './schedule.ts'

export type Verdict = 'effect' | 'served' | 'refused' | 'given up'

/** @throws Error for an effect or an answer that was not allowed in any state in which it could have come about */
export async function judgeOutcome(outcome: Outcome, grant: Grant, sketch: Sketch): Promise<Verdict> {
  const { store, began, answer } = outcome
  const effects: RecordedEvent[] = []
  for await (const event of store.log({ from: began + 1 })) if (event.requestId === requestId) effects.push(event)
  for (const effect of effects) await judgeEffect(store, grant, sketch, effect)
  if (effects.length > 0) return 'effect'
  if (answer.status === 503) return 'given up'
  if (answer.status >= 300) return 'refused'
  await judgeAnswer(outcome, grant, sketch)
  return 'served'
}

async function replay(store: Store, at: number, grant: Grant, sketch: Sketch) {
  const noted: Noted[] = []
  const answer = await send(await pastRequestStore(store, await store.at(at), noted), sketch, grant)
  return { noted, answer }
}

async function judgeEffect(store: Store, grant: Grant, sketch: Sketch, effect: RecordedEvent): Promise<void> {
  const { noted, answer } = await replay(store, effect.seq - 1, grant, sketch)
  const [would] = noted
  // The bytes of a part are copied for a while: their source may be deleted by then, since whether they may be read does not rest on it.
  if (effect.type === 'PartAdded' && answer.body.includes('<Code>NoSuchKey</Code>')) return
  if (would === undefined) throw new Error(`Took effect at ${effect.seq}, where the answer is ${textOf(answer)}`)
  const problem = await differenceOf(store, effect, would)
  if (problem !== undefined) throw new Error(`Took effect at ${effect.seq}: ${problem}`)
}

/** What it did is what it would have done in that state alone. */
async function differenceOf(
  store: Store,
  effect: RecordedEvent,
  { command, args }: Noted,
): Promise<string | undefined> {
  const data = effect.data as unknown as Readonly<Record<string, unknown>>
  const past = await store.at(effect.seq - 1)
  switch (command) {
    case 'DeleteObjects': {
      const targets = args[1] as readonly { readonly key: string }[]
      return targets.some(({ key }) => key === data['key']) ? undefined : `${String(data['key'])} may not be deleted`
    }
    case 'AnnotateObject': {
      const { seq } = await past.objects.annotations(String(args[0]), String(args[1]))
      return seq === data['version']
        ? undefined
        : `it says of version ${String(data['version'])} what is meant for ${seq}`
    }
    case 'CopyObject': {
      const { bucket, key, at } = args[0] as { readonly bucket: string; readonly key: string; readonly at?: number }
      const source = at === undefined ? past : await store.at(at)
      const { etag } = await source.objects.head(bucket, key)
      const { tags } = await source.objects.annotations(bucket, key)
      const { taggingDirective } = args[3] as { readonly taggingDirective: string }
      if (etag !== data['etag']) return 'the source is another'
      return taggingDirective === 'REPLACE' ? undefined : differs('tags', data['tags'], tags)
    }
    case 'PutObject':
      return differs('ACL', data['acl'], (args[3] as { readonly acl?: unknown }).acl)
    case 'PutSetting':
      return differs('value', data['value'], args[2])
    default:
      return undefined
  }
}

const differs = (what: string, done: unknown, meant: unknown): string | undefined =>
  JSON.stringify(done) === JSON.stringify(meant) ? undefined : `the ${what} is ${JSON.stringify(done)}`

/** One of the states while it was under way gives this answer. */
async function judgeAnswer({ store, began, ended, answer }: Outcome, grant: Grant, sketch: Sketch): Promise<void> {
  const others: string[] = []
  for (let at = began; at <= ended; at++) {
    const again = await replay(store, at, grant, sketch)
    // For a write that changes nothing, and for listings of uploads, which the past does not have, only the permission
    // can be compared.
    if (again.noted.length > 0 || textOf(again.answer) === textOf(answer)) return
    others.push(`${at}: ${textOf(again.answer)}`)
  }
  throw new Error(`No state gives this answer: ${textOf(answer)}\n${others.join('\n')}`)
}

const textOf = ({ status, headers, body }: Answered): string => {
  const { date: _, ...shown } = headers
  return `${status} ${JSON.stringify(shown)} ${body}`
}
