/**
 * Lets xterm draw under a strict content security policy. xterm adds `<style>` elements and `style`
 * attributes, which the policy refuses. While a terminal is open, the text of a new style element goes into a
 * constructed style sheet, and the style attribute of a new span is set through the object model: both are
 * allowed. `documentOverride` of xterm would be the place for this, but parts of xterm 6 ignore it.
 */
export function installStrictStyles(): () => void {
  const sheets = new Set<CSSStyleSheet>()
  const original = document.createElement
  const createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    // Even an empty style element is refused. A template is as invisible.
    const element = original.call(document, name === 'style' ? 'template' : name, options)
    if (name === 'style') keepInSheet(element, sheets)
    else if (name === 'span') setThroughModel(element)
    return element
  }
  Object.defineProperty(document, 'createElement', {
    value: createElement,
    configurable: true,
    writable: true,
  })
  return () => {
    // The original is a method of the prototype. If another terminal was opened since, its replacement stays.
    if (document.createElement === createElement) Reflect.deleteProperty(document, 'createElement')
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet))
  }
}

function keepInSheet(element: HTMLElement, sheets: Set<CSSStyleSheet>): void {
  const sheet = new CSSStyleSheet()
  sheets.add(sheet)
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  Object.defineProperty(element, 'textContent', {
    set: (text: string) => sheet.replaceSync(text),
    get: () => '',
  })
}

function setThroughModel(element: HTMLElement): void {
  const setAttribute = element.setAttribute.bind(element)
  element.setAttribute = (name: string, value: string): void => {
    if (name === 'style') element.style.cssText = value
    else setAttribute(name, value)
  }
}
