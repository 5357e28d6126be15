/** Answers one request of the control API, whatever carried it. */
import { type ObjectContent, StorageError, type Store } from '@varve/core'
import type { AsOf, ControlCall, ControlRow, LinesRow } from './control-row.ts'
import { type ControlError, controlErrorOf, statusOf } from './control-error.ts'
import { controlRows } from './table.ts'

export interface ControlRequest {
  readonly method: string
  /** The path and the query, as received. */
  readonly target: string
  readonly body: AsyncIterable<Uint8Array>
}

/** A request whose arguments were checked. */
export interface ParsedControl {
  readonly row: ControlRow
  readonly input: object & AsOf
  readonly body: AsyncIterable<Uint8Array>
}

export interface ControlRun {
  readonly store: Store
  /** Aborts when the client is gone, and when the store closes. */
  readonly signal: AbortSignal
  /** How the client sees errors. @default with their own texts */
  readonly shown?: (error: unknown) => ControlError
}

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** What is answered. Lines never fail: an error is their last line. Bytes fail as the reading of the object does. */
export type ControlAnswer = Answered &
  (
    | { readonly gives: 'value'; readonly text: string }
    | { readonly gives: 'lines'; readonly lines: AsyncIterable<string> }
    | { readonly gives: 'bytes'; readonly content: Pick<ObjectContent, 'body' | 'close' | 'size'> }
  )

/** The position that an answer as of the past is of. */
const positionHeader = 'x-varve-at'

const anyHost = 'http://varve'
const json = { 'content-type': 'application/json', 'cache-control': 'no-store' }
const lines = { ...json, 'content-type': 'application/x-ndjson' }
const bytes = { ...json, 'content-type': 'application/octet-stream' }

/** Never rejects. */
export async function answerControl(request: ControlRequest, run: ControlRun): Promise<ControlAnswer> {
  try {
    return await runControl(await parseControl(request), run)
  } catch (error) {
    return controlErrorAnswer(controlErrorOf(error))
  }
}

export const controlErrorAnswer = (error: ControlError, status = statusOf(error)): ControlAnswer => ({
  gives: 'value',
  status,
  headers: json,
  text: JSON.stringify({ error }),
})

/** @throws StorageError `NotImplemented`, `MethodNotAllowed`, `InvalidRequest`, `InvalidArgument`, `EntityTooLarge` */
export async function parseControl({ method, target, body }: ControlRequest): Promise<ParsedControl> {
  if (!URL.canParse(target, anyHost)) throw new StorageError('InvalidRequest', 'The target of the request is no URL.')
  const { pathname, searchParams: parameters } = new URL(target, anyHost)
  const row = rowOf(method, pathname)
  return { row, input: await row.input.read({ parameters, body }), body }
}

/** @throws what the operation throws before its answer begins */
export async function runControl(
  { row, input, body }: ParsedControl,
  { store, signal, shown = controlErrorOf }: ControlRun,
): Promise<ControlAnswer> {
  const past = input.at === undefined ? undefined : await store.at(input.at)
  const call = { store, view: past ?? store, input, body, signal }
  const headers: Answered['headers'] = past === undefined ? {} : { [positionHeader]: String(past.seq) }
  if (row.gives === 'lines') {
    return { gives: 'lines', status: 200, headers: { ...lines, ...headers }, lines: await begun(row, call, shown) }
  }
  if (row.gives === 'bytes') {
    const content = await row.run(call)
    const own = { 'x-varve-seq': String(content.seq), 'x-varve-version-id': content.versionId }
    return { gives: 'bytes', status: 200, headers: { ...bytes, ...own, ...headers }, content }
  }
  return { gives: 'value', status: 200, headers: { ...json, ...headers }, text: JSON.stringify(await row.run(call)) }
}

function rowOf(method: string, pathname: string): ControlRow {
  const found = controlRows.filter(({ path }) => path === pathname)
  const row = found.find((each) => each.method === method)
  if (row !== undefined) return row
  const shown = pathname.slice(0, 100)
  if (found.length === 0) throw new StorageError('NotImplemented', `The control API has no ${shown}.`)
  const allowed = found.map((each) => each.method).join(', ')
  throw new StorageError('MethodNotAllowed', `${shown} takes ${allowed}.`)
}

/** Takes the first value before the answer begins, so that its error has a status. */
async function begun(
  row: LinesRow<object, unknown>,
  call: ControlCall<object>,
  shown: (error: unknown) => ControlError,
): Promise<AsyncIterable<string>> {
  const values = row.run(call)[Symbol.asyncIterator]()
  const first = await values.next()
  return textOf(first, values, shown)
}

async function* textOf(
  first: IteratorResult<unknown>,
  values: AsyncIterator<unknown>,
  shown: (error: unknown) => ControlError,
): AsyncGenerator<string> {
  try {
    for (let next = first; next.done !== true; next = await values.next()) yield `${JSON.stringify(next.value)}\n`
  } catch (error) {
    yield `${JSON.stringify({ error: shown(error) })}\n`
  } finally {
    await values.return?.()
  }
}
