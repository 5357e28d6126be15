/** Escapes text for a page, whatever characters it contains. */
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** A template whose values are escaped, unless they are markup themselves. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Markup | readonly Markup[] | undefined

export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.reduce((text, part, i) => text + textOf(values[i - 1]) + part))
}

function textOf(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('\n')
  return escaped(String(value))
}
