/** Hints of errors: every option, command, page, package and call that one names exists. */
import { parseSync } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { memoryStore } from 'varve'
import * as api from 'varve'
import * as httpApi from 'varve/http'
import { program, withAllBelow } from '#varve/cli/program'
import { files, isSource, isTest, read } from './tree.ts'

type Command = ReturnType<typeof program>

interface Hint {
  readonly path: string
  readonly text: string
}

/** Stands for what a template puts in. */
const hole = 'X'

const readers: Readonly<Record<string, (of: Expression) => readonly string[]>> = {
  StringLiteral: ({ value = '' }) => [value],
  TemplateLiteral: ({ quasis = [], expressions = [] }) => [
    quasis.map(({ cooked }, i) => `${cooked}${i < quasis.length - 1 ? (lineIn(expressions[i]) ?? hole) : ''}`).join(''),
  ],
  ConditionalExpression: ({ consequent, alternate }) => [...textsIn(consequent), ...textsIn(alternate)],
  ObjectExpression: ({ properties = [] }) => properties.flatMap(({ value }) => textsIn(value)),
  NewExpression: ({ arguments: given = [] }) => given.flatMap(({ expression }) => textsIn(expression)),
  // Of the entries of a map, the values.
  ArrayExpression: ({ elements = [] }) =>
    elements.flatMap((entry) => textsIn(entry.expression.elements?.[1]?.expression)),
  ParenthesisExpression: ({ expression }) => textsIn(expression),
  TsAsExpression: ({ expression }) => textsIn(expression),
}

const sources = files.filter(
  (path) => isSource(path) && path.startsWith('packages/') && !isTest(path) && !/fixture|console/.test(path),
)
const texts = sources.map((path) => ({ path, text: read(path) }))
const hints = texts.filter(({ text }) => /hint/i.test(text)).flatMap(({ path, text }) => hintsIn(path, text))

const commands = new Map(withAllBelow(program({} as never, '1.0.0', () => undefined)))
const optionsOf = (command: Command): readonly string[] =>
  [...command.options.flatMap(({ long, short }) => [long, short]), '--help'].filter((flag) => flag !== undefined)
const allOptions = new Set([...commands.values()].flatMap(optionsOf))
const packages = new Set(
  ['varve', 'adapters', 'core', 'http'].flatMap((name) => {
    const { peerDependencies = {}, dependencies = {} } = JSON.parse(read(`packages/${name}/package.json`)) as {
      readonly peerDependencies?: object
      readonly dependencies?: object
    }
    return Object.keys({ ...peerDependencies, ...dependencies })
  }),
)
const variables = read('docs/cli.md') + read('docs/postgres.md') + read('docs/s3-blobs.md')
const declared = new Set(
  texts.flatMap(({ text }) => [...text.matchAll(/\breadonly (\w+)\??:/g)].map(([, name]) => name)),
)
const store = await memoryStore()

describe('the hints of errors', () => {
  it('are found, and are plain sentences', () => {
    expect(hints.length).toBeGreaterThan(90)
    expect(hints.filter(({ text }) => !/^[A-Z`].*[.?]$/.test(text) || text.length > 160)).toEqual([])
  })

  it.each(hints.map(({ path, text }) => [text, path] as const))('%s', (text) => {
    const [names, rest] = parted(text)
    expect(names.filter((name) => !isThere(name))).toEqual([])
    // A name without backticks would not be checked.
    expect(rest).not.toMatch(/--[a-z]|\bvarve [a-z]|docs\/|\w\(\)/)
  })

  it.each([
    '--no-such-option',
    'varve nothing',
    'varve ls --port 1',
    'docs/nothing.md',
    'docs/cli.md#nothing',
    'store.nothing()',
    'noSuchOption',
    'npm install nothing',
    'VARVE_NOTHING',
  ])('would be found to name %s', (name) => {
    expect(isThere(name)).toBe(false)
  })
})

/** The names in backticks, and the text around them. */
function parted(text: string): readonly [names: readonly string[], rest: string] {
  const parts = text.split('`')
  return [parts.filter((_, i) => i % 2 === 1), parts.filter((_, i) => i % 2 === 0).join(' ')]
}

function isThere(name: string): boolean {
  const [first = '', ...others] = name.split(' ')
  if (first === 'npm') return others.length === 2 && (others[1] === hole || packages.has(others[1] as string))
  if (first === 'varve') return isCommand(others)
  if (first.startsWith('--')) return allOptions.has(first)
  if (first.startsWith('docs/')) return isPageThere(first)
  if (/^[A-Z][A-Z_]+$/.test(first)) return variables.includes(first)
  if (/^\w+:\/\//.test(first)) return true
  return isCall(first.replace(/\(.*\)$/, ''))
}

function isCommand(words: readonly string[]): boolean {
  const path = words.filter((word) => /^[a-z][a-z-]*$/.test(word))
  const command = commands.get(path.slice(0, 2).join(' ')) ?? commands.get(path[0] ?? '')
  if (command === undefined) return false
  return words.filter((word) => word.startsWith('-')).every((word) => optionsOf(command).includes(word))
}

function isPageThere(link: string): boolean {
  const [page = '', anchor] = link.split('#')
  if (!files.includes(page)) return false
  const headings = read(page).match(/^#+ .*$/gm) ?? []
  return anchor === undefined || headings.some((heading) => anchorOf(heading) === anchor)
}

const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

/** A path from the store, an export, or an option of a call. */
function isCall(name: string): boolean {
  const [first = '', ...steps] = name.split('.')
  if (first !== 'store') return steps.length === 0 && (first in api || first in httpApi || declared.has(first))
  let found: unknown = store
  for (const step of steps) found = (found as Readonly<Record<string, unknown>> | undefined)?.[step]
  return found !== undefined
}

interface Node {
  readonly type?: string
}

/** The command of `commandLine` and `commandOn`, which put the name of the program before it. */
function lineIn(of: Expression | undefined): string | undefined {
  const isLine = of?.type === 'CallExpression' && /^command(Line|On)$/.test(of.callee?.value ?? '')
  const [line] = isLine ? textsIn(of.arguments?.[0]?.expression) : []
  return line === undefined ? undefined : `varve ${line}`
}

/** The texts of all properties and variables with the name `hint`, and of all tables with a name that ends with `Hints`. */
function hintsIn(path: string, text: string): readonly Hint[] {
  const found: string[] = []
  walk(parseSync(text, { syntax: 'typescript', target: 'es2022' }), (node) => {
    const { type, key, value, id, init } = node as Node &
      Partial<Record<'key' | 'value' | 'id' | 'init', Expression | null>>
    if (type === 'KeyValueProperty' && key?.value === 'hint') found.push(...textsIn(value ?? undefined))
    if (type === 'VariableDeclarator' && /hints?$/i.test(id?.value ?? '')) found.push(...textsIn(init ?? undefined))
    if (
      type === 'FunctionDeclaration' &&
      /^hint/i.test((node as { readonly identifier: { readonly value: string } }).identifier.value)
    )
      found.push(...returnsIn(node))
  })
  return found.filter((each) => each !== '').map((each) => ({ path, text: each }))
}

function returnsIn(node: object): readonly string[] {
  const found: string[] = []
  walk(node, (each) => {
    if ((each as Node).type === 'ReturnStatement')
      found.push(...textsIn((each as { readonly argument?: Expression }).argument))
  })
  return found
}

/** Parts of the expressions that give texts. */
interface Expression extends Node {
  readonly value?: string
  readonly quasis?: readonly { readonly cooked: string }[]
  readonly expressions?: readonly Expression[]
  readonly callee?: Expression
  readonly consequent?: Expression
  readonly alternate?: Expression
  readonly expression?: Expression
  readonly arguments?: readonly Element[]
  readonly elements?: readonly Element[]
  readonly properties?: readonly { readonly value?: Expression }[]
}

interface Element {
  readonly expression: Expression
}

/** Texts that the expression can give. What it compares is none of them. */
function textsIn(of: Expression | undefined): readonly string[] {
  return of === undefined ? [] : (readers[of.type ?? '']?.(of) ?? [])
}

function walk(node: unknown, visit: (node: object) => void): void {
  if (typeof node !== 'object' || node === null) return
  if ('type' in node) visit(node)
  for (const each of Object.values(node)) walk(each, visit)
}
