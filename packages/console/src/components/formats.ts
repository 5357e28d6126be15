/** How values are written for people. */

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** `1.5 MiB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export const dateText = (date: Date): string => (Number.isNaN(date.getTime()) ? '' : dateTime.format(date))

/** Text with control characters and characters that turn its direction made visible. */
export const visible = (text: string): string =>
  text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : `\\u{${code.toString(16)}}`
  })

/** `1 object`, `2 objects`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`
