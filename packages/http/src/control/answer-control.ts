/** Answers one request of the control API, whatever carried it. */
import { type Actor, type ObjectContent, StorageError, type Store, type Transaction } from '@varve/core'
import { type CallHead, callType, takeCall } from './call-form.ts'
import { bytesAnswer } from './bytes-answer.ts'
import { type AnswerHolding, heldLines, LongLines } from './answer-holding.ts'
import type { AsOf, ControlCall, ControlRow } from './control-row.ts'
import { type ControlForward, forwarded, type Operation } from './forward-control.ts'
import type { ControlBody } from './json-body.ts'
import { type ControlError, controlErrorOf, statusOf } from './control-error.ts'
import { acceptsEvents, eventForm, eventStreamType, type LineForm, lineForm } from './line-form.ts'
import { settledWithin } from '../turns/settled-within.ts'
import { controlRows } from './table.ts'
import { transactionNamed } from './transaction-rows.ts'
import { allowance } from './while-allowed.ts'

export interface ControlRequest {
  readonly method: string
  /** The path and the query, as received. */
  readonly target: string
  readonly body: ControlBody
  /** The headers `Accept` and `Last-Event-ID`. */
  readonly accept?: string | undefined
  readonly lastEventId?: string | undefined
  /** The header `Content-Type`, where requests may have the form of a call. */
  readonly contentType?: string | undefined
  /** Called before the bytes after the arguments of a call are read. */
  readonly onRest?: () => void
  /** The trailers, once the body was read. @default none */
  readonly trailer?: (name: string) => string | undefined
}

/** A request whose arguments were checked. */
export interface ParsedControl {
  readonly row: ControlRow
  readonly input: object & AsOf
  readonly body: AsyncIterable<Uint8Array>
  /** The client takes the lines as server-sent events. */
  readonly isStream: boolean
  /** Who calls, if the request has the form of a call. */
  readonly caller?: Omit<CallHead, 'arguments'>
  readonly trailer: (name: string) => string | undefined
}

/** Decides whether the caller may do what it requests. */
export interface ControlJudge {
  /** Called before the arguments and the body are read. @throws the refusal */
  mayCall(row: ControlRow): void
  /** Called when the arguments are known, for those operations that need more for some arguments. @throws the refusal */
  mayCallWith(row: ControlRow, input: object): void
}

/** For callers that own the store: they may do everything. */
export const ownerJudge: ControlJudge = { mayCall: () => undefined, mayCallWith: () => undefined }

/** Where an operation runs: on a store of this process, or on that of another one. */
export type ControlPlace = { readonly store: Store } | { readonly forward: ControlForward }

export interface ControlRun {
  readonly place: ControlPlace
  /** Who calls, unless a call names another one. */
  readonly by: Actor
  /** @default a new id for every command */
  readonly requestId?: string
  /** Reserves what the answer holds until it was sent. */
  readonly holding: AnswerHolding
  /** Aborts when the client is gone, and when the store closes. */
  readonly signal: AbortSignal
  /** Asked again while an answer follows the log. @throws the refusal @default the caller may for ever */
  readonly assertStillMay?: () => void
  /** Called when the arguments were checked. */
  readonly onParsed?: (parsed: ParsedControl) => void
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
const events = { ...json, 'content-type': eventStreamType }
const bytes = { ...json, 'content-type': 'application/octet-stream' }

/** Never rejects. */
export async function answerControl(
  request: ControlRequest,
  judge: ControlJudge,
  run: ControlRun,
): Promise<ControlAnswer> {
  try {
    const parsed = await parseControl(request, judge)
    run.onParsed?.(parsed)
    return await runControl(parsed, run)
  } catch (error) {
    return controlErrorAnswer(controlErrorOf(error))
  }
}

export const controlErrorAnswer = (error: ControlError, status = statusOf(error)): ControlAnswer => ({
  gives: 'value',
  // An answer with status 304 has no body, so it could not name the error.
  status: status === 304 ? 412 : status,
  headers: json,
  text: JSON.stringify({ error }),
})

export const valueAnswer = (value: unknown, headers: Answered['headers'] = {}): ControlAnswer => ({
  gives: 'value',
  status: 200,
  headers: { ...json, ...headers },
  text: JSON.stringify(value),
})

/**
 * Reads nothing of the body before the judge has seen which operation it is for.
 * @throws StorageError `NotImplemented`, `MethodNotAllowed`, `InvalidRequest`, `InvalidArgument`, `EntityTooLarge`; the refusals of the judge
 */
export async function parseControl(request: ControlRequest, judge: ControlJudge): Promise<ParsedControl> {
  const { method, target, lastEventId, trailer = () => undefined } = request
  if (!URL.canParse(target, anyHost)) throw new StorageError('InvalidRequest', 'The target of the request is no URL.')
  const { pathname, searchParams } = new URL(target, anyHost)
  const row = rowOf(method, pathname)
  judge.mayCall(row)
  const given = await argumentsOf(row, request, searchParams)
  judge.mayCallWith(row, given.input)
  const stream = row.gives === 'lines' && acceptsEvents(request.accept) ? row.stream : undefined
  return stream === undefined
    ? { ...given, row, trailer, isStream: false }
    : { ...given, row, trailer, input: stream.after(given.input, lastEventId), isStream: true }
}

async function argumentsOf(
  { input }: ControlRow,
  { body, contentType, onRest }: ControlRequest,
  parameters: URLSearchParams,
): Promise<Pick<ParsedControl, 'input' | 'body' | 'caller'>> {
  if (contentType !== callType) return { input: await input.read({ parameters, body }), body: whenRead(body) }
  if (parameters.size > 0) throw new StorageError('InvalidRequest', 'The arguments of a call are not in its query.')
  const { head, rest } = await takeCall(body.stream(), onRest)
  const { arguments: given, ...caller } = head
  return { input: input.of(given), body: rest, caller }
}

/** Most operations have no bytes, so memory for them is reserved when they are read. */
const whenRead = (body: ControlBody): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => body.stream()[Symbol.asyncIterator](),
})

/** @throws what the operation throws before its answer begins */
export async function runControl(parsed: ParsedControl, run: ControlRun): Promise<ControlAnswer> {
  const { row, input, caller, isStream } = parsed
  const { shown = controlErrorOf, holding } = run
  const { signal, whileAllowed } = allowance(run.signal, isFollowing(parsed) ? run.assertStillMay : undefined)
  const { at, value, lines: linesOf, bytes: bytesOf } = await operationOf(parsed, { ...run, signal })
  const headers: Answered['headers'] = at === undefined ? {} : { [positionHeader]: String(at) }
  if (row.gives === 'lines') {
    const form = isStream && row.stream !== undefined ? eventForm(row.stream) : lineForm
    const own = isStream ? events : lines
    const values = whileAllowed(heldLines(holding, () => linesOf(row)))
    const begins = await begun(values, isFollowing({ row, input }), { form, shown, holding })
    return { gives: 'lines', status: 200, headers: { ...own, ...headers }, lines: begins }
  }
  if (row.gives === 'bytes') {
    holding.holdBody()
    return { gives: 'bytes', ...bytesAnswer(await bytesOf(row), caller !== undefined, { ...bytes, ...headers }) }
  }
  return heldValue(valueAnswer(await value(row), headers), row, holding)
}

/** A shorter answer costs no more memory than its connection. */
const valueMin = 16 * 1024

/** The result of a write is never refused, because the write was done. */
export function heldValue(answer: ControlAnswer, { method }: ControlRow, holding: AnswerHolding): ControlAnswer {
  if (answer.gives !== 'value' || answer.text.length <= valueMin) return answer
  if (method === 'GET') holding.hold(answer.text.length)
  else holding.count(answer.text.length)
  return answer
}

async function operationOf(parsed: ParsedControl, run: ControlRun): Promise<Operation> {
  const { row, input, body, caller, trailer } = parsed
  const { place, signal, holding } = run
  const context = contextOf(run, caller)
  if ('forward' in place) return forwarded(place.forward, { row, input, body, context, signal })
  const store = place.store.as(context)
  const past = input.at === undefined ? undefined : await store.at(input.at)
  const acting = caller?.transaction === undefined ? store : actingIn(row, caller.transaction)
  const view = past ?? acting
  const call: ControlCall<object> = { store, context, acting, view, input, body, trailer, holding, signal }
  return {
    ...(past && { at: past.seq }),
    value: (one) => one.run(call),
    lines: (one) => one.run(call),
    bytes: (one) => one.run(call),
  }
}

const contextOf = (
  { by, requestId }: ControlRun,
  caller: ParsedControl['caller'] = {},
): ControlCall<object>['context'] => {
  const id = caller.requestId ?? requestId
  return { by: caller.by ?? by, ...(id !== undefined && { requestId: id }) }
}

/** @throws StorageError `TransactionEnded`, `InvalidRequest` */
function actingIn({ name, isTransactional = false }: ControlRow, transaction: string): Transaction {
  if (!isTransactional) throw new StorageError('InvalidRequest', `${name} cannot be part of a transaction.`)
  return transactionNamed(transaction).own
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

/** Whether the lines may come at any time later. */
export const isFollowing = ({ row, input }: Pick<ParsedControl, 'row' | 'input'>): boolean =>
  row.gives === 'lines' && (row.isFollowing ?? ('follow' in input && input.follow === true))

/** How long an answer that follows the log waits for its first value before it begins, in milliseconds. */
const firstMs = 1000

interface Shown {
  readonly holding: AnswerHolding
  readonly form: LineForm
  readonly shown: (error: unknown) => ControlError
}

/** Takes the first value before the answer begins, so that its error has a status. A quiet log begins without one. */
async function begun(lines: AsyncIterable<unknown>, follows: boolean, how: Shown): Promise<AsyncIterable<string>> {
  const values = lines[Symbol.asyncIterator]()
  const first = values.next()
  if (!follows || (await settledWithin(first, firstMs))) await first
  // Its error is sent as the last line, unless the client has left before.
  first.catch(() => undefined)
  return textOf(first, values, how)
}

async function* textOf(
  first: Promise<IteratorResult<unknown>>,
  values: AsyncIterator<unknown>,
  { form, shown, holding }: Shown,
): AsyncGenerator<string> {
  const long = new LongLines(holding)
  try {
    for (let next = await first; next.done !== true; next = await values.next()) yield long.take(form.value(next.value))
  } catch (error) {
    yield form.error(shown(error))
  } finally {
    await values.return?.()
  }
}
