"""The status page in a real browser: 500 ScaledCaches, the real operator, no mercy for the console."""

import tempfile
import unittest
import urllib.parse
from pathlib import Path

from browser import Browser
from stage import LISTED, PICTURES, Stage

RULES = (Path(__file__).parent / "rules.js").read_text(encoding="utf-8")
TOKEN = "0123456789-page-token"
FOCUS = "return document.activeElement.id || document.activeElement.getAttribute('href') || document.activeElement.tagName"


def row(name):
    return f"document.querySelector('.row a[href=\"#/shop/{name}\"]')"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = Stage()
        cls.addClassCleanup(cls.stage.close)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.size(1440, 900)
        self.browser.scheme(dark=False)
        self.browser.open("about:blank")
        self.browser.complaints()
        self.browser.requested()
        self.browser.open(self.stage.origin)
        self.browser.wait(LISTED)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [], "the console is silent")
        hosts = {urllib.parse.urlsplit(url).netloc for url in self.browser.requested() if url.startswith("http")}
        self.assertEqual(hosts, {urllib.parse.urlsplit(self.stage.origin).netloc}, "no other host is asked")

    def open_cache(self, name):
        self.browser.run(f"{row(name)}.click()")
        self.browser.wait(f"document.getElementById('detail-title').textContent === 'shop/{name}'")
        self.browser.wait("document.querySelectorAll('.steps li').length > 0")

    def check_rules(self, least):
        found = self.browser.run(RULES)
        self.assertEqual(found["breaches"], [])
        self.assertGreater(found["judged"], least, "texts were looked at")

    def test_what_is_broken_stands_first_and_is_counted(self):
        self.browser.wait("document.querySelector('.row a').dataset.standing === 'broken'")
        self.browser.wait(f"{row('lost')}.dataset.standing === 'broken'")
        self.browser.wait(f"{row('quiet')}.dataset.standing === 'paused'")
        self.browser.wait(f"{row('busy')}.dataset.standing === 'attention'")
        self.browser.wait("/broken/.test(document.getElementById('verdict').textContent)")
        self.assertIn("TargetNotFound", self.browser.run(f"return {row('lost')}.textContent"))

    def test_the_list_is_patched_and_not_made_anew(self):
        self.browser.run(f"window.kept = {row('varnish-100')}; window.fresh = 0;"
                         "new MutationObserver(all => all.forEach(one => one.addedNodes.forEach(node => "
                         "node.className === 'row' && ++window.fresh))).observe(document.getElementById('list'), {childList: true});"
                         "window.before = document.getElementById('link-text').textContent")
        self.browser.wait("document.getElementById('link-text').textContent !== window.before")
        self.assertTrue(self.browser.run(f"return window.kept === {row('varnish-100')}"))
        self.assertLess(self.browser.run("return window.fresh"), 20, "only rows that changed their place")

    def test_one_cache_is_shown_whole_in_light_and_dark(self):
        self.browser.wait(f"{row('gated')}.textContent.includes('warm')")
        self.open_cache("gated")
        self.browser.wait("document.querySelectorAll('.pod').length >= 3")
        self.assertTrue(self.browser.run("return document.querySelector('.chart .rate').getAttribute('d').startsWith('M')"))
        self.assertIn("requests per second", self.browser.run("return document.querySelector('.chart').getAttribute('aria-label')"))
        for dark in (False, True):
            self.browser.scheme(dark)
            self.check_rules(60)
            self.browser.picture(PICTURES / f"gated-{'dark' if dark else 'light'}.png")

    def test_the_list_keeps_the_rules_in_light_and_dark(self):
        for dark in (False, True):
            self.browser.scheme(dark)
            self.check_rules(60)
            self.browser.picture(PICTURES / f"list-{'dark' if dark else 'light'}.png")

    def test_a_spike_arrives_by_itself(self):
        self.open_cache("spiky")
        self.stage.spike()
        self.browser.wait("[...document.querySelectorAll('.steps b')].some(step => step.className === 'up')")
        self.browser.wait("document.querySelectorAll('.pod').length > 3")
        self.browser.picture(PICTURES / "spike.png")

    def test_the_keyboard_is_enough(self):
        self.browser.press("/")
        self.assertEqual(self.browser.run(FOCUS), "search")
        self.browser.press(*"varnish-10")
        self.browser.wait("document.querySelectorAll('.row:not([hidden])').length === 10")
        for _ in range(2 + self.browser.run("return document.querySelectorAll('#filters button:not([hidden])').length")):
            self.browser.press("Tab")
            if self.browser.run("return document.activeElement.matches('.row a')"):
                break
        first = self.browser.run(FOCUS)
        self.browser.press("Down", "Down")
        self.assertNotEqual(self.browser.run(FOCUS), first)
        self.browser.press("End")
        self.assertEqual(self.browser.run(FOCUS), "#/shop/varnish-109")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.row a[tabindex=\"0\"]').length"), 1, "Tab stops once")
        self.browser.press("Enter")
        self.browser.wait("document.activeElement.id === 'detail'")
        self.browser.wait("document.querySelectorAll('.steps li').length > 0")
        self.browser.press("Tab")
        self.browser.wait("document.activeElement.matches('.chart')")
        self.browser.press("Left")
        self.assertIn("req/s", self.browser.run("return document.querySelector('.readout').textContent"))
        self.browser.press("Escape")
        self.assertEqual(self.browser.run(FOCUS), "#/shop/varnish-109", "back where one was")

    def test_focus_is_always_seen(self):
        for _ in range(12):
            self.browser.press("Tab")
            width = self.browser.run("const style = getComputedStyle(document.activeElement);"
                                     "return document.activeElement === document.body ? 2 : "
                                     "style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth)")
            self.assertGreaterEqual(width, 1, self.browser.run(FOCUS))

    def test_a_filter_shows_only_what_it_says(self):
        self.browser.wait(f"{row('quiet')}.dataset.standing === 'paused'")
        self.browser.wait("!document.querySelector('[data-filter=paused]').hidden")
        self.browser.run("document.querySelector('[data-filter=paused]').click()")
        shown = self.browser.run("return [...document.querySelectorAll('.row:not([hidden]) a')].map(a => a.getAttribute('href'))")
        self.assertEqual(shown, ["#/shop/quiet"])

    def test_a_narrow_screen_shows_one_thing_at_a_time(self):
        self.browser.size(400, 800)
        self.browser.picture(PICTURES / "narrow-list.png")
        self.open_cache("busy")
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), 400, "nothing sticks out")
        self.browser.picture(PICTURES / "narrow-one.png")
        self.check_rules(30)
        self.browser.run("document.getElementById('detail').focus()")
        self.browser.press("Tab")
        self.assertTrue(self.browser.run("return document.activeElement.matches('.back')"), "the way back comes first")
        self.browser.run("document.querySelector('.back').click()")
        self.browser.wait("document.querySelector('.side').checkVisibility()")


class Alone(unittest.TestCase):
    def test_nothing_there_yet_and_nobody_there_any_more_are_told_apart(self):
        stage = Stage("--namespace=nobody")
        browser = Browser()
        self.addCleanup(browser.close)
        try:
            browser.open(stage.origin)
            browser.wait("document.getElementById('link').dataset.state === 'live'")
            browser.wait("/none yet/.test(document.getElementById('empty').textContent)")
            self.assertEqual(browser.run(RULES)["breaches"], [])
            browser.picture(PICTURES / "empty.png")
            self.assertEqual(browser.complaints(), [])
        finally:
            stage.close()
        browser.wait("/This is how it stood at/.test(document.getElementById('verdict').textContent)")
        self.assertEqual(browser.run("return document.getElementById('link').dataset.state"), "lost")
        self.assertEqual(browser.run(RULES)["breaches"], [])
        browser.picture(PICTURES / "lost.png")


class Closed(unittest.TestCase):
    def test_a_token_is_asked_for_and_never_shown(self):
        with tempfile.NamedTemporaryFile("w", suffix=".token") as file:
            file.write(TOKEN + "\n")
            file.flush()
            stage = Stage(f"--page-token-file={file.name}")
            self.addCleanup(stage.close)
            browser = Browser()
            self.addCleanup(browser.close)
            browser.open(stage.origin)
            browser.wait("document.activeElement.id === 'token'")
            browser.picture(PICTURES / "token.png")
            browser.press(*"wrong", "Enter")
            browser.wait("/not the token/.test(document.getElementById('login-problem').textContent)")
            browser.press(*TOKEN, "Enter")
            browser.wait(LISTED)
            self.assertNotIn(TOKEN, browser.run("return document.documentElement.outerHTML + location.href"))
            self.assertFalse([url for url in browser.requested() if TOKEN in url])


if __name__ == "__main__":
    unittest.main()
