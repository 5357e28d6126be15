/**
 * How much is tried: a little with `npm run test:all`, much with `npm run suite model`, or as much as a variable sets.
 */

const long = process.env['VARVE_MODEL'] === 'long'

export function size(variable: string, sizes: { readonly short: number; readonly long: number }): number {
  const text = process.env[variable]
  if (text === undefined) return long ? sizes.long : sizes.short
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0) throw new TypeError(`${variable} is a whole number, not ${text}.`)
  return number
}
