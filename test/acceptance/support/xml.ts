/**
 * A strict little reader for the server's own XML: one declaration first, one root, everything closed, nothing the answers
 * do not need. Whatever else it meets is an error, so an answer that is not well formed fails its test.
 */

export interface XmlElement {
  readonly name: string
  /** Of `xmlns`, if the element has one. */
  readonly namespace: string | undefined
  readonly children: readonly XmlElement[]
  /** Text directly inside, references decoded. */
  readonly text: string
  /** Text of the only child of that name; `undefined` without one. @throws Error when there are several */
  get(name: string): string | undefined
  /** Children of that name, in order. */
  all(name: string): readonly XmlElement[]
}

interface Open {
  readonly name: string
  readonly namespace: string | undefined
  readonly children: XmlElement[]
  text: string
}

const declaration = /^<\?xml version="1\.0" encoding="UTF-8"\?>/
const token = /<(\/?)([A-Za-z][A-Za-z0-9-]*)((?: [a-z:]+="[^"<]*")*)(\/?)>|[^<]+/gy
const entities = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

/** @throws Error for anything that is not one document */
export function parseXml(document: string): XmlElement {
  const start = declaration.exec(document)
  if (start === null) throw new Error(`No declaration: ${document.slice(0, 80)}`)
  const top: Open = { name: '', namespace: undefined, children: [], text: '' }
  const open: Open[] = [top]
  let at = start[0].length
  while (at < document.length) {
    token.lastIndex = at
    const match = token.exec(document)
    if (match === null) throw new Error(`Not well formed at ${at}: ${document.slice(at, at + 80)}`)
    at = token.lastIndex
    take(match, open)
  }
  const [root, ...others] = top.children
  if (open.length !== 1 || root === undefined || others.length > 0 || top.text.trim() !== '')
    throw new Error(`Not one document: ${document}`)
  return root
}

function take([whole, slash, name, attributes = '', empty]: RegExpExecArray, open: Open[]): void {
  const current = open.at(-1)
  if (current === undefined) throw new Error('Closed too often.')
  if (name === undefined) {
    current.text += decode(whole)
    return
  }
  if (slash === '') open.push({ name, namespace: /xmlns="([^"]*)"/.exec(attributes)?.[1], children: [], text: '' })
  if (slash === '/' || empty === '/') close(name, open)
}

function close(name: string, open: Open[]): void {
  const ended = open.pop()
  if (ended?.name !== name) throw new Error(`</${name}> closes <${ended?.name ?? ''}>`)
  const { children } = ended
  const all = (wanted: string) => children.filter((child) => child.name === wanted)
  open.at(-1)?.children.push({
    ...ended,
    all,
    get(wanted) {
      const found = all(wanted)
      if (found.length > 1) throw new Error(`<${wanted}> stands ${found.length} times in <${name}>.`)
      return found[0]?.text
    },
  })
}

function decode(text: string): string {
  return text.replace(/&(#x[0-9a-f]+|#[0-9]+|[a-z]+);|&/gi, (whole, body: string | undefined) => {
    if (body?.startsWith('#x')) return String.fromCodePoint(Number.parseInt(body.slice(2), 16))
    if (body?.startsWith('#')) return String.fromCodePoint(Number(body.slice(1)))
    const known = entities.get(body ?? '')
    if (known === undefined) throw new Error(`Not a reference: ${whole}`)
    return known
  })
}
