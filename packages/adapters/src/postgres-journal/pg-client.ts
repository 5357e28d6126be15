/** The part of the package pg that a journal uses. */
import { optionalPackage } from '../journal-kit/optional-package.ts'

/** A row of a result. All values are read as text. */
export type TextRow = readonly (string | null)[]

export interface PgResult {
  readonly rows: readonly TextRow[]
}

export interface PgQuery {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly rowMode: 'array'
  readonly types: { getTypeParser(): (value: string) => string }
}

/** A message of the server beside the result. */
export interface PgNotice {
  readonly severity?: string
  readonly code?: string
  /** The function of the server that sent it. Unlike the message, it is not translated. */
  readonly routine?: string
  readonly message?: string
}

export interface PgClient {
  /** The process of the server that the connection was promised. A pooler invents one. */
  readonly processID?: number | null
  /** A list of results for a text with several statements. */
  query(query: PgQuery): Promise<PgResult | readonly PgResult[]>
  on(event: 'error', listener: (error: unknown) => void): unknown
  on(event: 'notice', listener: (notice: PgNotice) => void): unknown
  removeListener(event: 'notice', listener: (notice: PgNotice) => void): unknown
  release(destroy?: boolean): void
}

export interface PgPool {
  connect(): Promise<PgClient>
  on(event: 'error', listener: (error: unknown) => void): unknown
  on(event: 'connect', listener: (client: PgClient) => void): unknown
  end(): Promise<void>
}

/** The options of a pool, which it gives to each of its connections. */
export type PgOptions = Record<string, unknown>

export interface Pg {
  readonly Pool: new (options: Readonly<PgOptions>) => PgPool
  readonly Client: new (options: PgOptions) => object
}

/** @throws StorageError `UnsupportedFormat` (`details.kind` is `package`) when pg is not installed. */
export async function loadPg(): Promise<Pg> {
  const { default: pg } = await optionalPackage('pg', async () => import('pg'))
  return pg as Pg
}

/** A program can change how pg parses types, for all its users. A journal parses the texts itself. */
const types = { getTypeParser: () => (value: string) => value }

const query = (text: string, values: readonly unknown[] = []): PgQuery => ({
  text,
  values,
  rowMode: 'array',
  types,
})

/** The rows of the last statement of a text. */
export async function rowsOf(client: PgClient, text: string, values?: readonly unknown[]): Promise<readonly TextRow[]> {
  const result = await client.query(query(text, values))
  const last = Array.isArray(result) ? (result as readonly PgResult[]).at(-1) : (result as PgResult)
  return last?.rows ?? []
}
