/** The messages of a server: sentences for people, one JSON line per event for programs. */
import type { Identity, MoveStatus, RequestLog } from '@varve/http'
import {
  type ClockStatus,
  type Divergence,
  type IdentityInfo,
  isStorageError,
  type ScrubReport,
  type StorageError,
} from '@varve/core'
import { clockText } from '../commands/clock-command.ts'
import type { CliContext } from '../support/context.ts'
import type { WorkerEnd } from '../../workers/worker-process.ts'
import { errorText, helpText } from '../support/report-error.ts'
import { asLine } from '../commands/verify-findings.ts'
import { printable } from '../support/printable.ts'
import { shellWord } from '../support/shell-word.ts'
import type { ReplicaFailure, ReplicaGap } from '../../replicas/replica-settings.ts'
import type { RootPair } from './serving-identities.ts'
import { commandLine } from '../support/program-name.ts'

export interface Ready {
  readonly url: string
  /** The address of the console, if the server has one. */
  readonly console?: string
  /** Where the store is: its directory, or the address of its journal. */
  readonly place: { readonly dir: string } | { readonly journal: string }
  readonly storeId: string
  readonly region: string
  readonly dialect: string
  /** Absent when this process answers the requests itself. */
  readonly workers?: number
  /** The name of a server that shares its store with others. */
  readonly node?: string
}

export interface Announcer {
  /** The only time that the secret is shown. */
  rootPair(identity: Identity, file: string): Promise<void>
  /** `own` is the key pair of the store itself. */
  ready(ready: Ready, own?: RootPair): Promise<void>
  failed(failure?: StorageError): void
  retry(error: unknown, delayMs: number): void
  reopened(seq: number): void
  request(entry: RequestLog): void
  /** A worker died. */
  loss(end: WorkerEnd, pauseMs: number): void
  /** A scrub found something. */
  damage(found: Divergence): void
  /** A scrub has finished a pass. */
  scrubbed(report: ScrubReport): void
  /** The clock became doubtful, or is trusted again. */
  clock(status: ClockStatus): void
  /** The certificate was replaced. */
  certificate(validTo: Date): void
  /** The files of the certificate were changed, and cannot be used. */
  certificateUnusable(error: unknown): void
  /** An entry of the identity file is not used: the log of the store has it, or it was removed or revoked there. */
  ignored(identity: Identity): void
  /** An identity of the log is not used, because a configured one has its name, id, e-mail address or access key id. */
  displaced(identity: Pick<IdentityInfo, 'id' | 'name'>): void
  /** The store was moved, and is served from the other place. */
  moved(status: MoveStatus): void
  /** The store stays where it is, or cannot be opened in the other place yet. */
  moveFailed(error: unknown): void
  /** A replica cannot be written. `isTriedAgain` is false if it is given up until the store is opened again. */
  replicaFailed(failure: ReplicaFailure): void
  /** The replica that the store follows cannot be read. */
  followFailed(failure: ReplicaFailure): void
  /** An instant restore left blobs in a replica, and they cannot be brought. */
  fillingFailed(error: unknown): void
  /** The store followed a replica, and takes writes from now on. */
  promoted(): void
  /** A proof found that a replica cannot be restored whole. */
  replicaDamaged(damage: Pick<ReplicaFailure, 'to' | 'error'>): void
  /** Bytes were erased that a replica may lack. */
  replicaGap(gap: ReplicaGap): void
  /** A log cannot be written as it should. */
  logProblem(text: string): void
  /** The configuration was read again. Some of what changed has effect only after a restart. */
  reloaded(needRestart: readonly string[]): void
  /** The configuration was read again, and cannot be used. */
  reloadRefused(error: unknown): void
  stopping(): void
}

/** Announces events. Nothing here rejects: a missing reader is no reason to stop serving. */
export function announcer({ output, note }: CliContext, json: boolean): Announcer {
  const announce = (kind: string, fields: object, text: string): Promise<void> =>
    (json ? output.json({ kind, ...fields }) : output.line(text)).catch(() => undefined)
  const remark = (kind: string, fields: object, text: string): void => {
    if (json) void announce(kind, fields, text)
    else note(text)
  }
  return {
    rootPair({ accessKeyId, secretAccessKey }, file) {
      const lines = [
        `Made root credentials, stored in ${printable(file)} (readable by you alone) and shown this once:`,
        `  access key id      ${accessKeyId}`,
        `  secret access key  ${secretAccessKey}`,
      ]
      return announce('root-credentials', { accessKeyId, secretAccessKey, file }, lines.join('\n'))
    },
    ready(ready, own) {
      const { place, ...fields } = ready
      const lines = [readyText(ready), ...firstSteps(ready, own)]
      return announce('ready', { ...fields, ...place, pid: process.pid }, lines.join('\n'))
    },
    ignored: ({ name, accessKeyId }) => remark('identity-ignored', { name, accessKeyId }, ignoredText(name)),
    displaced: ({ id, name }) => remark('identity-displaced', { id, name }, displacedText(name)),
    failed: (failure) => remark('failed', causeOf(failure), failedText(failure)),
    retry(error, delayMs) {
      const text = `The store cannot be opened yet, trying again in ${delayMs / 1000} s: ${errorText(error)}${helpText(error)}`
      remark('retry', { delayMs, message: errorText(error) }, text)
    },
    reopened: (seq) => remark('reopened', { seq }, `The store is open again, at event ${seq}.`),
    request(entry) {
      const { error, ...fields } = entry
      const message = error === undefined ? {} : { message: errorText(error) }
      remark('request', { ...fields, ...message }, requestText(entry))
    },
    loss({ pid, code, signal }, pauseMs) {
      const how = signal === null ? `with status ${code}` : `by ${signal}`
      const text = `Worker ${pid} ended ${how}; another follows ${pauseMs === 0 ? 'at once' : `in ${pauseMs / 1000} s`}.`
      remark('worker-ended', { worker: pid, status: code, signal, pauseMs }, text)
    },
    damage: ({ kind, ...fields }) =>
      remark('damage', { code: kind, ...fields }, `Found by scrubbing: ${asLine({ kind, ...fields })}`),
    scrubbed({ events, rows, blobs, bytes, found }) {
      const looked = `${events} events, ${rows} rows, ${blobs} blobs, ${bytes} bytes`
      remark('scrubbed', { events, rows, blobs, bytes, found }, `Scrubbed ${looked}: ${found} divergences.`)
    },
    clock: (status) => remark('clock', status, clockText(status)),
    certificate: (validTo) =>
      remark(
        'certificate',
        { validTo },
        `New connections use another certificate, valid until ${validTo.toISOString()}.`,
      ),
    certificateUnusable: (error) =>
      remark(
        'certificate-unusable',
        { message: errorText(error) },
        `The certificate stays as it is: ${errorText(error)}`,
      ),
    ...moveMessages(remark),
    ...replicaMessages(remark),
    ...followMessages(remark),
    logProblem: (text) => remark('log-problem', { message: text }, printable(text)),
    ...reloadMessages(remark),
    stopping: () => remark('stopping', {}, 'Finishing what is under way. Once more ends it at once.'),
  }
}

type Remark = (kind: string, fields: object, text: string) => void

const reloadMessages = (remark: Remark): Pick<Announcer, 'reloaded' | 'reloadRefused'> => ({
  reloaded(needRestart) {
    const later = needRestart.length === 0 ? '' : ` These need a restart: ${needRestart.join(', ')}.`
    remark('reloaded', { needRestart }, `The configuration was read again.${later}`)
  },
  reloadRefused: (error) =>
    remark('reload-refused', { message: errorText(error) }, `The configuration stays as it is: ${errorText(error)}`),
})

const replicaMessages = (remark: Remark): Pick<Announcer, 'replicaFailed' | 'replicaGap' | 'replicaDamaged'> => ({
  replicaFailed({ to, error, isTriedAgain }) {
    const later = isTriedAgain ? 'It is tried again.' : 'It is given up until the server is started again.'
    const text = `The replica ${printable(to)} cannot be written: ${errorText(error)} ${later}${helpText(error)}`
    remark('replica-failed', { to, message: errorText(error), isTriedAgain }, text)
  },
  replicaDamaged({ to, error }) {
    const text = `The replica ${printable(to)} cannot be restored whole: ${errorText(error)}`
    remark('replica-damaged', { to, message: errorText(error) }, text)
  },
  replicaGap({ to, contents, bytes }) {
    const text = `The replica ${printable(to)} is too far behind: bytes that it may lack are erased now, such as ${contents} contents of ${bytes} bytes.`
    remark('replica-gap', { to, contents, bytes }, text)
  },
})

const followMessages = (remark: Remark): Pick<Announcer, 'fillingFailed' | 'followFailed' | 'promoted'> => ({
  fillingFailed(error) {
    const text = `The store still has blobs in a replica, which cannot be brought: ${errorText(error)} This is tried again.`
    remark('filling-failed', { message: errorText(error) }, text)
  },
  followFailed({ to, error }) {
    const text = `The replica ${printable(to)} cannot be followed: ${errorText(error)} The store is as it was, and this is tried again.${helpText(error)}`
    remark('follow-failed', { from: to, message: errorText(error) }, text)
  },
  promoted: () => remark('promoted', {}, 'The store was promoted: it takes writes, and follows no replica any more.'),
})

const moveMessages = (remark: Remark): Pick<Announcer, 'moved' | 'moveFailed'> => ({
  moved({ from, to, head = 0, pauseMs = 0 }) {
    const text = `The store was moved to ${printable(to)}: writes waited ${pauseMs} ms.`
    remark('moved', { from, to, head, pauseMs }, text)
  },
  moveFailed: (error) =>
    remark(
      'move-failed',
      { message: errorText(error) },
      `The move of the store failed: ${errorText(error)}${helpText(error)}`,
    ),
})

/** Damage or loss of the log, and nothing for a write with an unknown outcome. */
const causeOf = (failure?: StorageError): { readonly message?: string } =>
  isStorageError(failure?.cause, 'LogCorrupt', 'AcknowledgedWritesLost') ? { message: errorText(failure.cause) } : {}

function failedText(failure?: StorageError): string {
  const { message = 'A write failed and its outcome is unknown' } = causeOf(failure)
  return `${message}: opening the store again.`
}

const ignoredText = (name: string): string =>
  `The identity ${printable(name)} of the file is ignored: the log of the store has it, or has removed its id or revoked its key. See ${commandLine('identities')}.`

const displacedText = (name: string): string =>
  `The identity ${printable(name)} of the log is ignored: an identity of the file has its name, id, e-mail address or access key id. See ${commandLine('identities')}.`

function readyText({ place, url, region, dialect, workers, node }: Ready): string {
  const by = `${workers === undefined ? '' : `, ${workers} workers`}${node === undefined ? '' : `, node ${node}`}`
  const where = 'dir' in place ? place.dir : place.journal
  return `Serving ${printable(where)} at ${url} (region ${region}, dialect ${dialect}${by}).`
}

/** Lines to paste: the keys, the AWS command line, and the AWS SDK. */
function firstSteps({ url, console: page, place, region }: Ready, own: RootPair | undefined): readonly string[] {
  const aws = `aws --endpoint-url ${url} --region ${region}`
  const client = `new S3Client({ endpoint: '${url}', region: '${region}', forcePathStyle: true })`
  const log = commandLine(`log --follow ${'dir' in place ? `--dir ${shellWord(place.dir)}` : `--endpoint ${url}`}`)
  const inBrowser = page === undefined ? [] : ['  # in a browser', `  ${page}`]
  return ['', ...inBrowser, ...keyLines(own), `  ${aws} s3 mb s3://photos`, `  ${client}`, `  ${log}`, '']
}

function keyLines(own: RootPair | undefined): readonly string[] {
  if (own === undefined) return []
  const { accessKeyId, secretAccessKey } = own.identity
  return own.created
    ? [`  export AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey}`]
    : [`  # keys: ${printable(own.file)}`]
}

function requestText({ requestId, method, path, status, durationMs, operation = '-', error }: RequestLog): string {
  const words = [requestId, String(status), method, printable(path), operation, `${durationMs.toFixed(0)} ms`]
  return [...words, ...(error === undefined ? [] : [errorText(error)])].join(' ')
}
