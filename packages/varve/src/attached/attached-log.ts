/** The log of the store that another process has open, what differs between two of its states. */
import {
  type Cancelable,
  callArguments,
  cancelable,
  type DensityOptions,
  type DensitySlice,
  type LogOptions,
  type LogPage,
  type LogPageOptions,
  optionsOf,
  type RecordedEvent,
} from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from '../control/control-client.ts'
import { apart } from './attached-scope.ts'

const { atCall, checkPlace } = callArguments

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

export async function attachedLogPage(client: ControlClient, options: LogPageOptions | undefined): Promise<LogPage> {
  const [given, sending] = apart(optionsOf(callArguments.logPageOptions, options))
  return client.value(controlApi.pageLog, given, sending)
}

export async function attachedDensity(
  client: ControlClient,
  options: DensityOptions | undefined,
): Promise<readonly DensitySlice[]> {
  const [given, sending] = apart(optionsOf(callArguments.densityOptions, options))
  return (await client.value(controlApi.countEvents, given, sending)).slices
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

export const attachedDiff = (
  client: ControlClient,
  given: Parameters<typeof callArguments.diffOver>[1],
): ReturnType<typeof callArguments.diffOver> =>
  callArguments.diffOver(async (request) => {
    const [page, sending] = apart(request)
    return client.value(controlApi.pageDiff, page, sending)
  }, given)
