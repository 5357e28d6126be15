/** The key and the certificates of a server, in files that may be replaced while it runs. */
import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { TlsPair } from '../../workers/control-messages.ts'
import { UsageError } from '../support/exit-codes.ts'
import { readTextFile, unusableFile } from '../support/read-text-file.ts'
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
  readonly files: Required<TlsFiles>
  readonly validTo: Date
}

/** How often the files are read again, in milliseconds. */
const everyMs = 2000

/** `undefined` without TLS. @throws UsageError for one file without the other; StorageError `InvalidArgument` for files that do not fit */
export async function loadTls({ tlsCert, tlsKey }: TlsFiles): Promise<LoadedTls | undefined> {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key need each other.')
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  const files = { tlsCert, tlsKey }
  return checkedTls(await readPair(files), files)
}

type NamedFiles = Required<TlsFiles>

const readPair = async ({ tlsCert, tlsKey }: NamedFiles): Promise<TlsPair> => ({
  cert: await readTextFile(tlsCert),
  key: await readTextFile(tlsKey),
})

function checkedTls(pair: TlsPair, files: NamedFiles): LoadedTls {
  try {
    createSecureContext(pair)
    return { pair, files, validTo: new Date(new X509Certificate(pair.cert).validTo) }
  } catch (cause) {
    const { tlsCert, tlsKey } = files
    throw unusableFile(`${tlsCert} and ${tlsKey} are not a certificate and its key`, cause)
  }
}

export interface FollowedTls {
  /** Reads the files now. */
  look(): Promise<void>
  stop(): void
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
export function followTls({ pair, files }: LoadedTls, { onReplaced, onUnusable }: TlsListener): FollowedTls {
  let { cert, key } = pair
  let problem: string | undefined
  async function look(): Promise<void> {
    try {
      const found = await readPair(files)
      // What is in use was checked already.
      if (found.cert !== cert || found.key !== key) {
        onReplaced(checkedTls(found, files))
        ;({ cert, key } = found)
      }
      problem = undefined
    } catch (error) {
      const text = errorText(error)
      if (problem !== text) onUnusable(error)
      problem = text
    }
  }
  let looking: Promise<void> | undefined
  const lookOnce = () => (looking ??= look().finally(() => (looking = undefined)))
  const timer = setInterval(() => void lookOnce(), everyMs).unref()
  return { look: lookOnce, stop: () => clearInterval(timer) }
}
