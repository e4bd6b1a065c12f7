#pragma once

namespace comback::tools {

// How the page of a report looks: on a wide and a narrow screen, in light, in dark and in print.
inline constexpr const char* kRunPageStyle = R"(<style>
  :root { color-scheme: light dark; --ink: #1d2026; --soft: #5b626e; --page: #f6f7f9; --card: #ffffff; --rule: #dfe2e8; --link: #0b62c4; --good: #15703a; --bad: #b91c1c; --wait: #92590a; --code: #eef0f4; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6e7ea; --soft: #a2a8b4; --page: #101216; --card: #181b21; --rule: #2e323b; --link: #7db8ff; --good: #6fdc8c; --bad: #ff8f8f; --wait: #f0b45b; --code: #22262e; } }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
  header, nav, main, footer { max-width: 64rem; margin: 0 auto; padding: 0 1.25rem; }
  header { padding-top: 2rem; }
  h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere; }
  h2 { font-size: 1.25rem; margin: 0 0 .75rem; }
  h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
  p { margin: .5rem 0; } .soft { color: var(--soft); } a { color: var(--link); }
  :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 4px; }
  .skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; }
  .verdict { display: inline-block; font-weight: 600; padding: .2rem .8rem; border: 2px solid currentColor; border-radius: 2rem; }
  .good { color: var(--good); } .bad { color: var(--bad); } .wait { color: var(--wait); }
  nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: 1rem 0; }
  section { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 1.25rem; margin: 0 0 1.25rem; }
  .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 1rem; margin: 0; }
  .tiles dt { color: var(--soft); font-size: .875rem; } .tiles dd { margin: 0; font-size: 1.4rem; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
  .tiles dd small { display: block; font-size: .8125rem; font-weight: 400; color: var(--soft); }
  .scroll { overflow-x: auto; } .scroll svg { display: block; width: 100%; height: auto; min-width: 34rem; }
  table { border-collapse: collapse; width: 100%; font-size: .9rem; } caption { text-align: left; margin-top: .75rem; color: var(--soft); padding: 0 0 .5rem; }
  th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
  th { font-weight: 600; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  code, .step { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .85em; overflow-wrap: anywhere; }
  details { border: 1px solid var(--rule); border-radius: 8px; padding: .5rem .9rem; margin: .75rem 0; }
  summary { cursor: pointer; font-weight: 600; } summary small { font-weight: 400; color: var(--soft); }
  ol.trace { margin: .75rem 0 0; padding-left: 3rem; } ol.trace li { margin: 0 0 .6rem; } ol.trace .changes { color: var(--soft); } ol.trace li.fails { color: var(--bad); }
  ol.trace li::marker { color: var(--soft); font-variant-numeric: tabular-nums; }
  .share { display: block; height: .6rem; border-radius: 3px; background: var(--link); min-width: 2px; margin-top: .45rem; }
  ul.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: .5rem 0; font-size: .875rem; }
  .swatch { display: inline-block; width: .8rem; height: .8rem; border-radius: 3px; margin-right: .4rem; background: var(--c); }
  svg .ground { fill: none; } svg text { fill: var(--ink); } svg .box { fill: var(--c); opacity: .8; } svg .plain { fill: var(--soft); }
  footer { color: var(--soft); font-size: .875rem; padding-bottom: 2rem; }
  @media print {
    :root { --page: #fff; --card: #fff; } body { font-size: 11pt; } nav, .skip { display: none; }
    section { border: 0; padding: 0; margin: 0 0 1.5rem; } h2, h3, summary { break-after: avoid; } svg, tr, ol.trace li, .tiles > div { break-inside: avoid; }
    .scroll { overflow: visible; } .scroll svg { min-width: 0; } details.trace::details-content { content-visibility: visible; block-size: auto; }
    * { print-color-adjust: exact; }
  }
</style>
)";

}  // namespace comback::tools
