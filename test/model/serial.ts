/**
 * What clients that do things at the same time may see: the same as if they had done them one after the other, in some
 * order. Here the orders are tried, which is quick for a handful of operations.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  answering,
  apply,
  findObject,
  listParts,
  listVersions,
  type ModelAnswer,
  type ModelCommand,
  type ModelState,
  refOf,
} from '@varve/core/model'

/** Something a client looks at. */
export type Look =
  | {
      readonly look: 'get'
      readonly bucket: string
      readonly key: string
      readonly version?: string
      /** How long the client takes before it reads the bytes, in steps. @default 1 */
      readonly pauses?: number
    }
  | { readonly look: 'versions'; readonly bucket: string }
  | { readonly look: 'parts'; readonly bucket: string; readonly key: string; readonly upload: string }

export interface Seen {
  readonly requested: ModelCommand | Look
  readonly answer: ModelAnswer<unknown>
  /** Moments of one clock. */
  readonly called: number
  readonly returned: number
}

/** What a look shows in a state. */
function show(state: ModelState, look: Look): ModelAnswer<unknown> {
  switch (look.look) {
    case 'get':
      return answering(() => findObject(state, look.bucket, look.key, look.version).object.body)
    case 'versions':
      return answering(() =>
        listVersions(state, look.bucket).map((entry) => ('prefix' in entry ? entry.prefix : [entry.key, refOf(entry)])),
      )
    case 'parts':
      return answering(() => listParts(state, look).map(({ number }) => number))
  }
}

/**
 * The states in which an order that explains every answer can end. What had returned before something was called comes
 * before it. None: what was seen cannot have been.
 */
export function serialEnds(state: ModelState, seen: readonly Seen[]): readonly ModelState[] {
  if (seen.length === 0) return [state]
  const firstReturn = Math.min(...seen.map(({ returned }) => returned))
  return seen.flatMap((each) => {
    if (each.called > firstReturn) return []
    const { requested, answer } = each
    const next = 'look' in requested ? { state, answer: show(state, requested) } : apply(state, requested)
    if (!isDeepStrictEqual(next.answer, answer)) return []
    return serialEnds(
      next.state,
      seen.filter((other) => other !== each),
    )
  })
}
