/** The key and the certificates of a server, in files that may be replaced while it runs. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { StorageError } from '@varve/core'
import type { TlsPair } from '../../workers/control-messages.ts'
import { UsageError } from '../support/exit-codes.ts'
import { errorText } from '../support/report-error.ts'

export interface TlsFiles {
  /** The path of a PEM file: the certificate of the server, and those between it and a known authority. */
  readonly tlsCert?: string
  /** The path of a PEM file: the key of the certificate. */
  readonly tlsKey?: string
}

/** What the files contained, and until when the certificate is valid. */
export interface LoadedTls {
  readonly pair: TlsPair
  readonly validTo: Date
}

/** How often the files are read again, in milliseconds. */
const everyMs = 2000

/** `undefined` without TLS. @throws UsageError for one file without the other; StorageError `InvalidArgument` for files that do not fit */
export async function loadTls({ tlsCert, tlsKey }: TlsFiles): Promise<LoadedTls | undefined> {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key need each other.')
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  return checkedTls({ cert: await textOf(tlsCert), key: await textOf(tlsKey) }, { tlsCert, tlsKey })
}

const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: unknown) => {
    throw unusable(`${path} cannot be read`, cause)
  })

function checkedTls(pair: TlsPair, { tlsCert, tlsKey }: Required<TlsFiles>): LoadedTls {
  try {
    createSecureContext(pair)
    return { pair, validTo: new Date(new X509Certificate(pair.cert).validTo) }
  } catch (cause) {
    throw unusable(`${tlsCert} and ${tlsKey} are not a certificate and its key`, cause)
  }
}

function unusable(problem: string, cause: unknown): StorageError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StorageError('InvalidArgument', `${problem}: ${reason}`, { cause })
}

export interface TlsListener {
  onReplaced(loaded: LoadedTls): void
  /** The files changed, and cannot be used. Called once for each state of them. */
  onUnusable(error: unknown): void
}

/**
 * Reads the files again and again, since no notification of a file system shows every way of replacing them. Two files are
 * never replaced at once, so a pair that does not fit is read again.
 */
export function followTls(files: TlsFiles, loaded: LoadedTls, { onReplaced, onUnusable }: TlsListener): () => void {
  let { cert, key } = loaded.pair
  let problem: string | undefined
  async function look(): Promise<void> {
    try {
      const found = await loadTls(files)
      problem = undefined
      if (found === undefined || (found.pair.cert === cert && found.pair.key === key)) return
      onReplaced(found)
      ;({ cert, key } = found.pair)
    } catch (error) {
      const text = errorText(error)
      if (problem !== text) onUnusable(error)
      problem = text
    }
  }
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void look().finally(() => (isLooking = false))
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
