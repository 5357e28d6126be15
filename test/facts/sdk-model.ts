/** The names of S3's requests and answers, read from the schemas that the AWS SDK exports. */

export interface ModelledOperation {
  /** Method, path and the parameters that choose the operation. */
  readonly request: string
  /** Headers of the request, in lower case; a trailing `*` means any ending. */
  readonly headers: readonly string[]
  readonly parameters: readonly string[]
  /** Headers of the answer, in lower case. */
  readonly answers: readonly string[]
}

export interface Model {
  readonly sdk: string
  readonly operations: Readonly<Record<string, ModelledOperation>>
}

/** @param exported What the package `@aws-sdk/client-s3` exports. */
export function modelOf(sdk: string, exported: Readonly<Record<string, unknown>>): Model {
  const operations = Object.values(exported)
    .filter(isOperation)
    .map((schema) => [schema[2], modelledOperation(schema)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return { sdk, operations: Object.fromEntries(operations) }
}

type Traits = Readonly<Record<string, unknown>>
type Structure = readonly [
  kind: number,
  namespace: string,
  name: string,
  traits: unknown,
  names: string[],
  members: unknown[],
]
type Operation = readonly [
  kind: 9,
  namespace: string,
  name: string,
  traits: { readonly http: readonly [method: string, path: string, status: number] },
  input: () => Structure,
  output: () => Structure,
]

const isOperation = (schema: unknown): schema is Operation => Array.isArray(schema) && schema[0] === 9

function modelledOperation([, , , traits, input, output]: Operation): ModelledOperation {
  const [method, path] = traits.http
  const [, chosenBy = ''] = path.split('?')
  const chosen = chosenBy.split('&').filter((pair) => pair !== '' && !pair.startsWith('x-id='))
  const sent = traitsIn(input())
  return {
    request: `${method} ${path}`,
    headers: sorted(sent.flatMap(headersOf)),
    parameters: sorted([...chosen.map(nameOf), ...sent.flatMap(({ httpQuery }) => textOf(httpQuery))]),
    answers: sorted(traitsIn(output()).flatMap(headersOf)),
  }
}

/** The traits of each member that has some. */
function traitsIn(structure: Structure): readonly Traits[] {
  return (structure[5] ?? []).flatMap((member) => {
    const traits: unknown = Array.isArray(member) ? member[1] : undefined
    return typeof traits === 'object' && traits !== null ? [traits as Traits] : []
  })
}

function headersOf({ httpHeader, httpPrefixHeaders }: Traits): readonly string[] {
  return [...textOf(httpHeader), ...textOf(httpPrefixHeaders).map((prefix) => `${prefix}*`)].map((name) =>
    name.toLowerCase(),
  )
}

const textOf = (value: unknown): readonly string[] => (typeof value === 'string' ? [value] : [])
const nameOf = (pair: string): string => pair.replace(/=.*$/, '')
const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
