"""The one style sheet of every page: conversations, indexes, figures, the fleet.

A constant. Paper and ink, one accent, colours by the reader's own light or dark; a phone gets one
column, a desk gets the speaker in the margin; paper gets everything unfolded. No pictures, no
fonts to fetch.

Every turn is `content-visibility: auto`: the browser lays out and paints only the turns near the
window, so 5,000 turns open as fast as fifty, while find-in-page, anchors, printing and screen
readers still see them all. Pages cut into numbered files would need none of that, and would lose
find-in-page and the one file to send.
"""

from markupsafe import Markup

STYLE = Markup(
    """
:root{color-scheme:light dark;--paper:#fcfbf9;--ink:#22262b;--soft:#5f666e;--line:#e4e0d9;
--card:#f4f1eb;--accent:#0b6b69;--tint:#eaf3f1;--bad:#a8261d;--add:#e2f3e3;--add-ink:#14501f;
--del:#fae4e1;--del-ink:#7c1d14;--keyword:#7b2f9e;--string:#1f6b2b;--comment:#61676f;--number:#9a4a00;
--name:#0b5fa5;--h0:#ebe7e0;--h1:#b9dcd6;--h2:#7fbfb7;--h3:#3d9690;--h4:#0b6b69;
--mono:ui-monospace,"SF Mono","Cascadia Mono","JetBrains Mono",Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#dfdeda;--soft:#9ba1a8;
--line:#2b2f34;--card:#1d2024;--accent:#74c9c3;--tint:#182725;--bad:#ff948a;--add:#14301c;
--add-ink:#abe5b6;--del:#3b1b1a;--del-ink:#f5b8b1;--keyword:#d7a6ef;--string:#a5d8a0;--comment:#989ea6;
--number:#f0b47c;--name:#8cc4f5;--h0:#24282c;--h1:#1f4644;--h2:#2d6d69;
--h3:#47a09a;--h4:#8adcd5}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.62 system-ui,-apple-system,
"Segoe UI","Noto Sans",Ubuntu,Cantarell,sans-serif;overflow-wrap:anywhere}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.17em}
a:focus-visible,summary:focus-visible,pre:focus-visible,.scroll:focus-visible{
outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem;z-index:1}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.page{max-width:62rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.65rem;line-height:1.25;font-weight:650;letter-spacing:-.012em;margin:0 0 .6rem;
text-wrap:balance}
header{padding-bottom:1.4rem;border-bottom:1px solid var(--line);margin-bottom:1.6rem}
.up{font-size:.875rem;margin:0 0 1.1rem}
.facts{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:0;font-size:.875rem;color:var(--soft)}
.facts>div{display:flex;gap:.4rem;min-width:0}
.facts dt{color:var(--soft);flex:none}
.facts dd{margin:0;color:var(--ink);min-width:0}
.facts dd,.num{font-variant-numeric:tabular-nums}
nav{margin:0 0 1.8rem;font-size:.9rem}
nav ol,nav ul{margin:.5rem 0 0;padding:0;list-style:none}
nav li{display:flex;gap:.9rem;padding:.14rem 0;min-width:0}
nav li>span{color:var(--soft);min-width:2.2rem;text-align:right;font-variant-numeric:tabular-nums}
nav li>a{color:var(--ink);text-decoration:none;min-width:0}
nav li>a:hover{color:var(--accent);text-decoration:underline}
summary{cursor:pointer}
nav summary{color:var(--soft)}
article{content-visibility:auto;contain-intrinsic-size:auto 6rem;padding:.55rem 0}
article.more{padding:.15rem 0}
article.more.assistant{padding-top:.6rem}
article:target{box-shadow:-3px 0 0 var(--accent)}
.by{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 .7rem;margin-bottom:.35rem;
font-size:.8125rem;color:var(--soft)}
.by h2{font-size:.875rem;font-weight:600;margin:0;color:var(--ink)}
.by a{color:var(--soft);text-decoration:none}
.by a:hover{color:var(--accent);text-decoration:underline}
.vector{border:1px solid var(--line);border-radius:99px;padding:0 .5em;font-size:.75rem;
line-height:1.5}
.vector.screen{border-style:dashed}
.vector.same{position:absolute;clip-path:inset(50%)}
article:hover .vector.same,article:target .vector.same{position:static;clip-path:none}
.user{padding-top:1.5rem}
.user .said{background:var(--tint);border-left:3px solid var(--accent);border-radius:0 6px 6px 0;
padding:.75rem 1rem}
.user .by h2{color:var(--accent)}
.said>:first-child,.said>*>:first-child{margin-top:0}
.said>:last-child,.said>*>:last-child{margin-bottom:0}
.said h3,.said h4,.said h5,.said h6{line-height:1.3;margin:1.5em 0 .5em;font-size:1rem;
font-weight:650}
.said h3{font-size:1.17rem}
.said p,.said ul,.said ol,.said blockquote,.said table,.said .scroll{margin:.7em 0}
.said p,.said td,.said th,.said h3,.said h4,.said h5,.said h6{unicode-bidi:plaintext}
.said p,.said ul,.said ol,.said blockquote{max-width:44rem}
.said ul,.said ol{padding-left:1.4rem}
.said li{margin:.22em 0}
.said li>p{margin:.3em 0}
blockquote{margin:.7em 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
hr{border:0;border-top:1px solid var(--line);margin:1.5em 0}
code,pre,.mono{font-family:var(--mono);font-size:.855em}
:not(pre)>code{background:var(--card);border-radius:4px;padding:.1em .3em}
.user :not(pre)>code{background:transparent;padding:0}
pre{margin:.7em 0;padding:.75rem .9rem;background:var(--card);border-radius:6px;overflow:auto;
line-height:1.5;white-space:pre;tab-size:4;max-height:34rem}
.user pre{background:var(--paper)}
pre.wrap,p.plain{white-space:pre-wrap}
pre code{font-size:1em}
pre.diff{padding:.5rem 0}
.diff span{display:block;padding:0 .9rem;min-width:fit-content;min-height:1.5em}
.diff .add{background:var(--add);color:var(--add-ink)}
.diff .del{background:var(--del);color:var(--del-ink)}
.diff .at{color:var(--accent)}
.diff .file{color:var(--soft);font-weight:600}
.c-keyword{color:var(--keyword)}
.c-string{color:var(--string)}
.c-comment{color:var(--comment);font-style:italic}
.c-number{color:var(--number)}
.c-name{color:var(--name)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.92em;overflow-wrap:break-word}
th,td{padding:.3rem .8rem .3rem 0;text-align:left;border-bottom:1px solid var(--line);
vertical-align:top}
th{font-weight:600}
td.num,th.num{text-align:right;white-space:nowrap}
img{max-width:100%;height:auto;border-radius:6px;border:1px solid var(--line)}
.fold{margin:.3rem 0;font-size:.9rem}
.fold>summary{display:flex;gap:.55rem;align-items:baseline;list-style:none;padding:.13rem 0;
color:var(--soft);min-width:0}
.fold>summary::-webkit-details-marker{display:none}
.fold>summary::before{content:"›";color:var(--soft);width:.6em;flex:none;font-weight:600;
transition:transform .12s}
.fold[open]>summary::before{transform:rotate(90deg)}
.fold>summary:hover{color:var(--ink)}
.fold>summary b{font-weight:600;color:var(--ink);flex:none;max-width:60%}
.fold>summary .what{font-family:var(--mono);font-size:.82rem;min-width:0;overflow:hidden;
text-overflow:ellipsis;white-space:nowrap}
.fold>summary .more{flex:none;margin-left:auto;font-size:.8rem;white-space:nowrap}
.fold .body{margin:.35rem 0 .8rem;padding-left:1.15rem}
.fold.failed>summary b{color:var(--bad)}
.reasoning .body{color:var(--soft);border-left:2px solid var(--line);margin-left:.2rem;
padding-left:.95rem}
.plus{color:var(--add-ink)}
.minus{color:var(--del-ink)}
footer{margin-top:2.5rem;padding-top:1.2rem;border-top:1px solid var(--line);font-size:.8125rem;
color:var(--soft)}
footer dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem .8rem;margin:0 0 1rem}
footer dd{margin:0}
footer p{margin:.3rem 0}
.choice{display:flex;flex-wrap:wrap;gap:.4rem;border:0;margin:0 0 1.4rem;padding:0;
font-size:.875rem}
.choice input{position:absolute;opacity:0}
.choice span{display:block;border:1px solid var(--line);border-radius:99px;padding:.1rem .8rem;
color:var(--soft);cursor:pointer}
.choice span:hover{color:var(--ink)}
.choice :checked+span{background:var(--tint);border-color:var(--accent);color:var(--ink)}
.choice :focus-visible+span{outline:2px solid var(--accent);outline-offset:2px}
.place{content-visibility:auto;contain-intrinsic-size:auto 20rem;margin:2.2rem 0 0}
.place h2,.figures h2{font-size:1rem;font-weight:650;margin:0 0 .5rem}
.place h2 small{font-weight:400;color:var(--soft);font-size:.8125rem;margin-left:.6rem}
.rows{list-style:none;margin:0;padding:0}
.rows li{display:grid;grid-template-columns:8.6rem 5.5rem minmax(0,1fr) 5.5rem;gap:0 .9rem;
padding:.42rem 0;border-top:1px solid var(--line);font-size:.9rem}
.rows a{color:var(--ink);text-decoration:none;min-width:0}
.rows a:hover{color:var(--accent);text-decoration:underline}
.rows time,.rows .agent,.rows .num{color:var(--soft);font-size:.8125rem;
font-variant-numeric:tabular-nums;padding-top:.08rem}
.rows .num{text-align:right}
.rows .child{padding-left:1rem;color:var(--soft)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:1rem;margin:0}
.tiles div{border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem}
.tiles dt{font-size:.8125rem;color:var(--soft)}
.tiles dd{margin:0;font-size:1.5rem;font-weight:600;font-variant-numeric:tabular-nums}
.figures{margin:2.2rem 0}
.figures table{width:100%}
.figures td:nth-child(2){width:34%}
.figures tbody th{font-weight:400;min-width:7rem}
.figures td,.figures th{padding:.4rem .9rem .4rem 0}
.figures td:last-child,.figures th:last-child{padding-right:0}
.bar{display:block;width:100%;height:.5rem;background:var(--h0);border-radius:4px;
overflow:hidden;min-width:6rem;margin-top:.5rem}
.bar rect{fill:var(--h3)}
.calendar{direction:rtl;padding-bottom:.4rem}
.year{direction:ltr;display:inline-grid;grid-template-rows:1.1rem repeat(7,.92rem);
grid-auto-flow:column dense;grid-auto-columns:.92rem;gap:3px}
.year span{grid-row:1;font-size:.7rem;color:var(--soft);white-space:nowrap;line-height:1}
.year .w2{grid-column:span 2}.year .w3{grid-column:span 3}.year .w4{grid-column:span 4}
.year .w5{grid-column:span 5}.year .w6{grid-column:span 6}
.year i{border-radius:2px;background:var(--h0)}
.year i.later{background:none}
.year i.h1{background:var(--h1)}.year i.h2{background:var(--h2)}
.year i.h3{background:var(--h3)}.year i.h4{background:var(--h4)}
@media (min-width:56rem){
article{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:0 1.6rem;align-items:start}
article .by{justify-content:flex-end;gap:0 .5rem;margin:0;padding-top:.1rem;line-height:1.6}
article .by h2:not(.sr){flex-basis:100%;text-align:right}
article.user .by{padding-top:.75rem}
article.more .by{padding-top:.12rem}}
@media (max-width:55.99rem){
article.more .by{float:right;margin:.1rem 0 0 .7rem}}
@media (max-width:40rem){
.page{padding:1.4rem 1rem 3rem}
h1{font-size:1.35rem}
.rows li{grid-template-columns:minmax(0,1fr) auto;padding:.6rem 0}
.rows a{grid-column:1/-1;grid-row:2}
.rows .agent{text-align:right}
.rows .num{grid-row:1;grid-column:2;display:none}
.fold .body{padding-left:.2rem}
.figures tr>:nth-child(2){display:none}
pre{padding:.65rem .7rem}}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
@media (forced-colors:active){.bar rect,.year i{forced-color-adjust:none}}
@media print{
@page{margin:15mm}
body{font-size:10.5pt;line-height:1.45}
code,pre,.mono{font-size:.8em}
.fold>summary::before,.by a,.vector.same{display:none}
:root{--paper:#fff;--ink:#000;--soft:#444;--line:#ccc;--card:#f5f5f5;--tint:#f5f5f5;--accent:#000;
--keyword:#000;--string:#000;--comment:#444;--number:#000;--name:#000}
.page{max-width:none;padding:0}
nav,.skip,.up,.choice{display:none}
article,.place{content-visibility:visible}
details::details-content{content-visibility:visible;block-size:auto;opacity:1}
pre{white-space:pre-wrap;max-height:none;overflow:visible}
.by,h2,h3,summary{break-after:avoid}
a{color:inherit}}
"""
)
