/**
 * Makes text from the store safe to show: keys may contain any character, and terminals interpret some of them. Control
 * characters, line separators and characters that change the direction of writing become escapes.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

export const printable = (text: string): string => text.replace(unsafe, escaped)

/**
 * Lines that may have text from the store which no command made safe. Line feeds stay, so a command still makes each text safe that is
 * part of a line.
 * @param isPainted The colours of `TerminalStyle` stay too.
 */
export const printableLines = (text: string, isPainted = false): string =>
  text.replace(isPainted ? unsafeInPainted : unsafeInLines, (found) => (found.length > 2 ? found : escaped(found)))

/** What a terminal would interpret, except line feeds. */
export const unsafeInLines = /[^\n\P{Cc}]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
/** A colour is found as a whole, and stays. */
const unsafeInPainted = new RegExp(`\\u001b\\[\\d{2}m|${unsafeInLines.source}`, 'gu')

function escaped(character: string): string {
  const code = character.codePointAt(0) as number
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}
