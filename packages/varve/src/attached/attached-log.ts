/** The log of the store that another process has open, what differs between two of its states. */
import {
  type Cancelable,
  callArguments,
  cancelable,
  type DiffEntry,
  type DiffOptions,
  type DiffPage,
  type DiffScope,
  type Listing,
  type LogOptions,
  type Moment,
  optionsOf,
  type RecordedEvent,
  schema,
} from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from '../control/control-client.ts'
import { apart } from './attached-scope.ts'

const { checked } = schema
const { atCall, checkPlace, diffOptions, diffScope, listing, moment } = callArguments

export function attachedLog(client: ControlClient, options: LogOptions | undefined): AsyncIterable<RecordedEvent> {
  return walk(
    client,
    atCall(() => optionsOf(callArguments.logOptions, options)),
  )
}

async function* walk(client: ControlClient, options: () => LogOptions): AsyncGenerator<RecordedEvent> {
  const [{ to, ...range }, sending] = apart(options())
  // JSON has no infinity; an absent end means the same.
  const end = to === undefined || to === Number.POSITIVE_INFINITY ? {} : { to }
  yield* client.lines(controlApi.readLog, { ...range, ...end }, sending)
}

export function attachedHistory(
  client: ControlClient,
  place: { readonly bucket: string; readonly key: string },
  options: Cancelable | undefined,
): AsyncIterable<RecordedEvent> {
  const { bucket, key } = place
  const checkedOptions = atCall(() => {
    checkPlace(bucket, key)
    return optionsOf(cancelable, options)
  })
  return walkHistory(client, { bucket, key }, checkedOptions)
}

async function* walkHistory(
  client: ControlClient,
  place: { readonly bucket: string; readonly key: string },
  options: () => Cancelable,
): AsyncGenerator<RecordedEvent> {
  const [, sending] = apart(options())
  yield* client.lines(controlApi.readHistory, place, sending)
}

interface DiffRequest extends DiffOptions, DiffScope {
  readonly from: Moment
  readonly to: Moment
}

export const attachedDiff = (
  client: ControlClient,
  scope: DiffScope,
  moments: readonly [from: Moment, to: Moment],
  options: DiffOptions | undefined,
): Listing<DiffEntry, DiffPage> =>
  listing(
    (): DiffRequest => ({
      ...checked('scope', diffScope, scope),
      from: checked('from', moment, moments[0]),
      to: checked('to', moment, moments[1]),
      ...optionsOf(diffOptions, options),
    }),
    (request): Promise<DiffPage> => {
      const [page, sending] = apart(request)
      return client.value(controlApi.pageDiff, page, sending)
    },
    // The positions stay those of the first page.
    ({ from, to, nextAfter }, request) =>
      nextAfter === undefined ? undefined : { ...request, from, to, after: nextAfter },
  )
