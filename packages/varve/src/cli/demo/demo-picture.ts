/** A picture with a name in it, as SVG: a landscape whose colours and hills follow from a number. */
export function picture(title: string, seed: number): string {
  const hue = (seed * 47) % 360
  const hill = (height: number, shift: number, light: number): string => {
    const points = Array.from({ length: 9 }, (_, i) => {
      const y = height + 40 * Math.sin((i + shift + seed) * 1.3)
      return `${i * 80},${y.toFixed(0)}`
    })
    return `<polygon points="0,400 ${points.join(' ')} 640,400" fill="hsl(${(hue + 120) % 360} 40% ${light}%)"/>`
  }
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400">',
    `<rect width="640" height="400" fill="hsl(${hue} 60% 80%)"/>`,
    `<circle cx="${120 + ((seed * 61) % 400)}" cy="110" r="46" fill="hsl(${(hue + 40) % 360} 90% 88%)"/>`,
    hill(220, 0, 55),
    hill(280, 2, 42),
    hill(330, 5, 30),
    `<text x="24" y="376" font-family="sans-serif" font-size="28" fill="white">${title}</text>`,
    '</svg>\n',
  ].join('\n')
}
