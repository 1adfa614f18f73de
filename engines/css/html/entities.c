/* Named character references (HTML Living Standard, "Named character references"), made by
 * entities.py: sorted by name, by bytes. The text holds each name and, after it, its value in
 * UTF-8; an entry has the position in the text and both lengths. */
#include "entities.h"

/* clang-format off */
const char html_entity_text[] =
    "AEligÆAElig;ÆAMP&AMP;&AacuteÁAacute;ÁAbreve;ĂAcircÂAcirc;ÂAcy;АAfr;𝔄AgraveÀAgrave;ÀAlpha;Α"
    "Amacr;ĀAnd;⩓Aogon;ĄAopf;𝔸ApplyFunction;\342\201\241AringÅAring;ÅAscr;𝒜Assign;≔AtildeÃ"
    "Atilde;ÃAumlÄAuml;ÄBackslash;∖Barv;⫧Barwed;⌆Bcy;БBecause;∵Bernoullis;ℬBeta;ΒBfr;𝔅Bopf;𝔹"
    "Breve;˘Bscr;ℬBumpeq;≎CHcy;ЧCOPY©COPY;©Cacute;ĆCap;⋒CapitalDifferentialD;ⅅCayleys;ℭCcaron;Č"
    "CcedilÇCcedil;ÇCcirc;ĈCconint;∰Cdot;ĊCedilla;¸CenterDot;\302\267Cfr;ℭChi;ΧCircleDot;⊙"
    "CircleMinus;⊖CirclePlus;⊕CircleTimes;⊗ClockwiseContourIntegral;∲"
    "CloseCurlyDoubleQuote;\342\200\235CloseCurlyQuote;\342\200\231Colon;∷Colone;⩴Congruent;≡"
    "Conint;∯ContourIntegral;∮Copf;ℂCoproduct;∐CounterClockwiseContourIntegral;∳Cross;⨯Cscr;𝒞"
    "Cup;⋓CupCap;≍DD;ⅅDDotrahd;⤑DJcy;ЂDScy;ЅDZcy;ЏDagger;\342\200\241Darr;↡Dashv;⫤Dcaron;ĎDcy;Д"
    "Del;∇Delta;ΔDfr;𝔇DiacriticalAcute;´DiacriticalDot;˙DiacriticalDoubleAcute;˝"
    "DiacriticalGrave;`DiacriticalTilde;˜Diamond;⋄DifferentialD;ⅆDopf;𝔻Dot;¨DotDot;\342\203\234"
    "DotEqual;≐DoubleContourIntegral;∯DoubleDot;¨DoubleDownArrow;⇓DoubleLeftArrow;⇐"
    "DoubleLeftRightArrow;⇔DoubleLeftTee;⫤DoubleLongLeftArrow;⟸DoubleLongLeftRightArrow;⟺"
    "DoubleLongRightArrow;⟹DoubleRightArrow;⇒DoubleRightTee;⊨DoubleUpArrow;⇑DoubleUpDownArrow;⇕"
    "DoubleVerticalBar;∥DownArrow;↓DownArrowBar;⤓DownArrowUpArrow;⇵DownBreve;\314\221"
    "DownLeftRightVector;⥐DownLeftTeeVector;⥞DownLeftVector;↽DownLeftVectorBar;⥖"
    "DownRightTeeVector;⥟DownRightVector;⇁DownRightVectorBar;⥗DownTee;⊤DownTeeArrow;↧Downarrow;⇓"
    "Dscr;𝒟Dstrok;ĐENG;ŊETHÐETH;ÐEacuteÉEacute;ÉEcaron;ĚEcircÊEcirc;ÊEcy;ЭEdot;ĖEfr;𝔈EgraveÈ"
    "Egrave;ÈElement;∈Emacr;ĒEmptySmallSquare;◻EmptyVerySmallSquare;▫Eogon;ĘEopf;𝔼Epsilon;Ε"
    "Equal;⩵EqualTilde;≂Equilibrium;⇌Escr;ℰEsim;⩳Eta;ΗEumlËEuml;ËExists;∃ExponentialE;ⅇFcy;ФFfr;𝔉"
    "FilledSmallSquare;◼FilledVerySmallSquare;▪Fopf;𝔽ForAll;∀Fouriertrf;ℱFscr;ℱGJcy;ЃGT>GT;>"
    "Gamma;ΓGammad;ϜGbreve;ĞGcedil;ĢGcirc;ĜGcy;ГGdot;ĠGfr;𝔊Gg;⋙Gopf;𝔾GreaterEqual;≥"
    "GreaterEqualLess;⋛GreaterFullEqual;≧GreaterGreater;⪢GreaterLess;≷GreaterSlantEqual;⩾"
    "GreaterTilde;≳Gscr;𝒢Gt;≫HARDcy;ЪHacek;ˇHat;^Hcirc;ĤHfr;ℌHilbertSpace;ℋHopf;ℍHorizontalLine;─"
    "Hscr;ℋHstrok;ĦHumpDownHump;≎HumpEqual;≏IEcy;ЕIJlig;ĲIOcy;ЁIacuteÍIacute;ÍIcircÎIcirc;ÎIcy;И"
    "Idot;İIfr;ℑIgraveÌIgrave;ÌIm;ℑImacr;ĪImaginaryI;ⅈImplies;⇒Int;∬Integral;∫Intersection;⋂"
    "InvisibleComma;\342\201\243InvisibleTimes;\342\201\242Iogon;ĮIopf;𝕀Iota;ΙIscr;ℐItilde;Ĩ"
    "Iukcy;ІIumlÏIuml;ÏJcirc;ĴJcy;ЙJfr;𝔍Jopf;𝕁Jscr;𝒥Jsercy;ЈJukcy;ЄKHcy;ХKJcy;ЌKappa;ΚKcedil;Ķ"
    "Kcy;КKfr;𝔎Kopf;𝕂Kscr;𝒦LJcy;ЉLT<LT;<Lacute;ĹLambda;ΛLang;\342\237\252Laplacetrf;ℒLarr;↞"
    "Lcaron;ĽLcedil;ĻLcy;ЛLeftAngleBracket;\342\237\250LeftArrow;←LeftArrowBar;⇤"
    "LeftArrowRightArrow;⇆LeftCeiling;\342\214\210LeftDoubleBracket;\342\237\246"
    "LeftDownTeeVector;⥡LeftDownVector;⇃LeftDownVectorBar;⥙LeftFloor;\342\214\212LeftRightArrow;↔"
    "LeftRightVector;⥎LeftTee;⊣LeftTeeArrow;↤LeftTeeVector;⥚LeftTriangle;⊲LeftTriangleBar;⧏"
    "LeftTriangleEqual;⊴LeftUpDownVector;⥑LeftUpTeeVector;⥠LeftUpVector;↿LeftUpVectorBar;⥘"
    "LeftVector;↼LeftVectorBar;⥒Leftarrow;⇐Leftrightarrow;⇔LessEqualGreater;⋚LessFullEqual;≦"
    "LessGreater;≶LessLess;⪡LessSlantEqual;⩽LessTilde;≲Lfr;𝔏Ll;⋘Lleftarrow;⇚Lmidot;Ŀ"
    "LongLeftArrow;⟵LongLeftRightArrow;⟷LongRightArrow;⟶Longleftarrow;⟸Longleftrightarrow;⟺"
    "Longrightarrow;⟹Lopf;𝕃LowerLeftArrow;↙LowerRightArrow;↘Lscr;ℒLsh;↰Lstrok;ŁLt;≪Map;⤅Mcy;М"
    "MediumSpace;\342\201\237Mellintrf;ℳMfr;𝔐MinusPlus;∓Mopf;𝕄Mscr;ℳMu;ΜNJcy;ЊNacute;ŃNcaron;Ň"
    "Ncedil;ŅNcy;НNegativeMediumSpace;\342\200\213NegativeThickSpace;\342\200\213"
    "NegativeThinSpace;\342\200\213NegativeVeryThinSpace;\342\200\213NestedGreaterGreater;≫"
    "NestedLessLess;≪NewLine;\012Nfr;𝔑NoBreak;\342\201\240NonBreakingSpace;\302\240Nopf;ℕNot;⫬"
    "NotCongruent;≢NotCupCap;≭NotDoubleVerticalBar;∦NotElement;∉NotEqual;≠NotEqualTilde;≂\314\270"
    "NotExists;∄NotGreater;≯NotGreaterEqual;≱NotGreaterFullEqual;≧\314\270"
    "NotGreaterGreater;≫\314\270NotGreaterLess;≹NotGreaterSlantEqual;⩾\314\270NotGreaterTilde;≵"
    "NotHumpDownHump;≎\314\270NotHumpEqual;≏\314\270NotLeftTriangle;⋪NotLeftTriangleBar;⧏\314\270"
    "NotLeftTriangleEqual;⋬NotLess;≮NotLessEqual;≰NotLessGreater;≸NotLessLess;≪\314\270"
    "NotLessSlantEqual;⩽\314\270NotLessTilde;≴NotNestedGreaterGreater;⪢\314\270"
    "NotNestedLessLess;⪡\314\270NotPrecedes;⊀NotPrecedesEqual;⪯\314\270NotPrecedesSlantEqual;⋠"
    "NotReverseElement;∌NotRightTriangle;⋫NotRightTriangleBar;⧐\314\270NotRightTriangleEqual;⋭"
    "NotSquareSubset;⊏\314\270NotSquareSubsetEqual;⋢NotSquareSuperset;⊐\314\270"
    "NotSquareSupersetEqual;⋣NotSubset;⊂\342\203\222NotSubsetEqual;⊈NotSucceeds;⊁"
    "NotSucceedsEqual;⪰\314\270NotSucceedsSlantEqual;⋡NotSucceedsTilde;≿\314\270"
    "NotSuperset;⊃\342\203\222NotSupersetEqual;⊉NotTilde;≁NotTildeEqual;≄NotTildeFullEqual;≇"
    "NotTildeTilde;≉NotVerticalBar;∤Nscr;𝒩NtildeÑNtilde;ÑNu;ΝOElig;ŒOacuteÓOacute;ÓOcircÔOcirc;Ô"
    "Ocy;ОOdblac;ŐOfr;𝔒OgraveÒOgrave;ÒOmacr;ŌOmega;ΩOmicron;ΟOopf;𝕆"
    "OpenCurlyDoubleQuote;\342\200\234OpenCurlyQuote;\342\200\230Or;⩔Oscr;𝒪OslashØOslash;ØOtildeÕ"
    "Otilde;ÕOtimes;⨷OumlÖOuml;ÖOverBar;\342\200\276OverBrace;⏞OverBracket;⎴OverParenthesis;⏜"
    "PartialD;∂Pcy;ПPfr;𝔓Phi;ΦPi;ΠPlusMinus;±Poincareplane;ℌPopf;ℙPr;⪻Precedes;≺PrecedesEqual;⪯"
    "PrecedesSlantEqual;≼PrecedesTilde;≾Prime;\342\200\263Product;∏Proportion;∷Proportional;∝"
    "Pscr;𝒫Psi;ΨQUOT\042QUOT;\042Qfr;𝔔Qopf;ℚQscr;𝒬RBarr;⤐REG®REG;®Racute;ŔRang;\342\237\253Rarr;↠"
    "Rarrtl;⤖Rcaron;ŘRcedil;ŖRcy;РRe;ℜReverseElement;∋ReverseEquilibrium;⇋ReverseUpEquilibrium;⥯"
    "Rfr;ℜRho;ΡRightAngleBracket;\342\237\251RightArrow;→RightArrowBar;⇥RightArrowLeftArrow;⇄"
    "RightCeiling;\342\214\211RightDoubleBracket;\342\237\247RightDownTeeVector;⥝"
    "RightDownVector;⇂RightDownVectorBar;⥕RightFloor;\342\214\213RightTee;⊢RightTeeArrow;↦"
    "RightTeeVector;⥛RightTriangle;⊳RightTriangleBar;⧐RightTriangleEqual;⊵RightUpDownVector;⥏"
    "RightUpTeeVector;⥜RightUpVector;↾RightUpVectorBar;⥔RightVector;⇀RightVectorBar;⥓Rightarrow;⇒"
    "Ropf;ℝRoundImplies;⥰Rrightarrow;⇛Rscr;ℛRsh;↱RuleDelayed;⧴SHCHcy;ЩSHcy;ШSOFTcy;ЬSacute;ŚSc;⪼"
    "Scaron;ŠScedil;ŞScirc;ŜScy;СSfr;𝔖ShortDownArrow;↓ShortLeftArrow;←ShortRightArrow;→"
    "ShortUpArrow;↑Sigma;ΣSmallCircle;∘Sopf;𝕊Sqrt;√Square;□SquareIntersection;⊓SquareSubset;⊏"
    "SquareSubsetEqual;⊑SquareSuperset;⊐SquareSupersetEqual;⊒SquareUnion;⊔Sscr;𝒮Star;⋆Sub;⋐"
    "Subset;⋐SubsetEqual;⊆Succeeds;≻SucceedsEqual;⪰SucceedsSlantEqual;≽SucceedsTilde;≿SuchThat;∋"
    "Sum;∑Sup;⋑Superset;⊃SupersetEqual;⊇Supset;⋑THORNÞTHORN;ÞTRADE;™TSHcy;ЋTScy;ЦTab;\011Tau;Τ"
    "Tcaron;ŤTcedil;ŢTcy;ТTfr;𝔗Therefore;∴Theta;ΘThickSpace;\342\201\237\342\200\212"
    "ThinSpace;\342\200\211Tilde;∼TildeEqual;≃TildeFullEqual;≅TildeTilde;≈Topf;𝕋"
    "TripleDot;\342\203\233Tscr;𝒯Tstrok;ŦUacuteÚUacute;ÚUarr;↟Uarrocir;⥉Ubrcy;ЎUbreve;ŬUcircÛ"
    "Ucirc;ÛUcy;УUdblac;ŰUfr;𝔘UgraveÙUgrave;ÙUmacr;ŪUnderBar;_UnderBrace;⏟UnderBracket;⎵"
    "UnderParenthesis;⏝Union;⋃UnionPlus;⊎Uogon;ŲUopf;𝕌UpArrow;↑UpArrowBar;⤒UpArrowDownArrow;⇅"
    "UpDownArrow;↕UpEquilibrium;⥮UpTee;⊥UpTeeArrow;↥Uparrow;⇑Updownarrow;⇕UpperLeftArrow;↖"
    "UpperRightArrow;↗Upsi;ϒUpsilon;ΥUring;ŮUscr;𝒰Utilde;ŨUumlÜUuml;ÜVDash;⊫Vbar;⫫Vcy;ВVdash;⊩"
    "Vdashl;⫦Vee;⋁Verbar;\342\200\226Vert;\342\200\226VerticalBar;∣VerticalLine;|"
    "VerticalSeparator;❘VerticalTilde;≀VeryThinSpace;\342\200\212Vfr;𝔙Vopf;𝕍Vscr;𝒱Vvdash;⊪Wcirc;Ŵ"
    "Wedge;⋀Wfr;𝔚Wopf;𝕎Wscr;𝒲Xfr;𝔛Xi;ΞXopf;𝕏Xscr;𝒳YAcy;ЯYIcy;ЇYUcy;ЮYacuteÝYacute;ÝYcirc;ŶYcy;Ы"
    "Yfr;𝔜Yopf;𝕐Yscr;𝒴Yuml;ŸZHcy;ЖZacute;ŹZcaron;ŽZcy;ЗZdot;ŻZeroWidthSpace;\342\200\213Zeta;Ζ"
    "Zfr;ℨZopf;ℤZscr;𝒵aacuteáaacute;áabreve;ăac;∾acE;∾\314\263acd;∿acircâacirc;âacute´acute;´"
    "acy;аaeligæaelig;æaf;\342\201\241afr;𝔞agraveàagrave;àalefsym;ℵaleph;ℵalpha;αamacr;āamalg;⨿"
    "amp&amp;&and;∧andand;⩕andd;⩜andslope;⩘andv;⩚ang;∠ange;⦤angle;∠angmsd;∡angmsdaa;⦨angmsdab;⦩"
    "angmsdac;⦪angmsdad;⦫angmsdae;⦬angmsdaf;⦭angmsdag;⦮angmsdah;⦯angrt;∟angrtvb;⊾angrtvbd;⦝"
    "angsph;∢angst;Åangzarr;⍼aogon;ąaopf;𝕒ap;≈apE;⩰apacir;⩯ape;≊apid;≋apos;'approx;≈approxeq;≊"
    "aringåaring;åascr;𝒶ast;*asymp;≈asympeq;≍atildeãatilde;ãaumläauml;äawconint;∳awint;⨑bNot;⫭"
    "backcong;≌backepsilon;϶backprime;\342\200\265backsim;∽backsimeq;⋍barvee;⊽barwed;⌅barwedge;⌅"
    "bbrk;⎵bbrktbrk;⎶bcong;≌bcy;бbdquo;\342\200\236becaus;∵because;∵bemptyv;⦰bepsi;϶bernou;ℬ"
    "beta;βbeth;ℶbetween;≬bfr;𝔟bigcap;⋂bigcirc;◯bigcup;⋃bigodot;⨀bigoplus;⨁bigotimes;⨂bigsqcup;⨆"
    "bigstar;★bigtriangledown;▽bigtriangleup;△biguplus;⨄bigvee;⋁bigwedge;⋀bkarow;⤍blacklozenge;⧫"
    "blacksquare;▪blacktriangle;▴blacktriangledown;▾blacktriangleleft;◂blacktriangleright;▸"
    "blank;␣blk12;▒blk14;░blk34;▓block;█bne;=\342\203\245bnequiv;≡\342\203\245bnot;⌐bopf;𝕓bot;⊥"
    "bottom;⊥bowtie;⋈boxDL;╗boxDR;╔boxDl;╖boxDr;╓boxH;═boxHD;╦boxHU;╩boxHd;╤boxHu;╧boxUL;╝boxUR;╚"
    "boxUl;╜boxUr;╙boxV;║boxVH;╬boxVL;╣boxVR;╠boxVh;╫boxVl;╢boxVr;╟boxbox;⧉boxdL;╕boxdR;╒boxdl;┐"
    "boxdr;┌boxh;─boxhD;╥boxhU;╨boxhd;┬boxhu;┴boxminus;⊟boxplus;⊞boxtimes;⊠boxuL;╛boxuR;╘boxul;┘"
    "boxur;└boxv;│boxvH;╪boxvL;╡boxvR;╞boxvh;┼boxvl;┤boxvr;├bprime;\342\200\265breve;˘brvbar¦"
    "brvbar;¦bscr;𝒷bsemi;\342\201\217bsim;∽bsime;⋍bsol;\134bsolb;⧅bsolhsub;⟈bull;\342\200\242"
    "bullet;\342\200\242bump;≎bumpE;⪮bumpe;≏bumpeq;≏cacute;ćcap;∩capand;⩄capbrcup;⩉capcap;⩋"
    "capcup;⩇capdot;⩀caps;∩\357\270\200caret;\342\201\201caron;ˇccaps;⩍ccaron;čccedilçccedil;ç"
    "ccirc;ĉccups;⩌ccupssm;⩐cdot;ċcedil¸cedil;¸cemptyv;⦲cent¢cent;¢centerdot;\302\267cfr;𝔠chcy;ч"
    "check;✓checkmark;✓chi;χcir;○cirE;⧃circ;ˆcirceq;≗circlearrowleft;↺circlearrowright;↻"
    "circledR;®circledS;Ⓢcircledast;⊛circledcirc;⊚circleddash;⊝cire;≗cirfnint;⨐cirmid;⫯cirscir;⧂"
    "clubs;♣clubsuit;♣colon;:colone;≔coloneq;≔comma;,commat;@comp;∁compfn;∘complement;∁"
    "complexes;ℂcong;≅congdot;⩭conint;∮copf;𝕔coprod;∐copy©copy;©copysr;℗crarr;↵cross;✗cscr;𝒸"
    "csub;⫏csube;⫑csup;⫐csupe;⫒ctdot;⋯cudarrl;⤸cudarrr;⤵cuepr;⋞cuesc;⋟cularr;↶cularrp;⤽cup;∪"
    "cupbrcap;⩈cupcap;⩆cupcup;⩊cupdot;⊍cupor;⩅cups;∪\357\270\200curarr;↷curarrm;⤼curlyeqprec;⋞"
    "curlyeqsucc;⋟curlyvee;⋎curlywedge;⋏curren¤curren;¤curvearrowleft;↶curvearrowright;↷cuvee;⋎"
    "cuwed;⋏cwconint;∲cwint;∱cylcty;⌭dArr;⇓dHar;⥥dagger;\342\200\240daleth;ℸdarr;↓"
    "dash;\342\200\220dashv;⊣dbkarow;⤏dblac;˝dcaron;ďdcy;дdd;ⅆddagger;\342\200\241ddarr;⇊"
    "ddotseq;⩷deg°deg;°delta;δdemptyv;⦱dfisht;⥿dfr;𝔡dharl;⇃dharr;⇂diam;⋄diamond;⋄diamondsuit;♦"
    "diams;♦die;¨digamma;ϝdisin;⋲div;÷divide÷divide;÷divideontimes;⋇divonx;⋇djcy;ђdlcorn;⌞"
    "dlcrop;⌍dollar;$dopf;𝕕dot;˙doteq;≐doteqdot;≑dotminus;∸dotplus;∔dotsquare;⊡doublebarwedge;⌆"
    "downarrow;↓downdownarrows;⇊downharpoonleft;⇃downharpoonright;⇂drbkarow;⤐drcorn;⌟drcrop;⌌"
    "dscr;𝒹dscy;ѕdsol;⧶dstrok;đdtdot;⋱dtri;▿dtrif;▾duarr;⇵duhar;⥯dwangle;⦦dzcy;џdzigrarr;⟿eDDot;⩷"
    "eDot;≑eacuteéeacute;éeaster;⩮ecaron;ěecir;≖ecircêecirc;êecolon;≕ecy;эedot;ėee;ⅇefDot;≒efr;𝔢"
    "eg;⪚egraveèegrave;èegs;⪖egsdot;⪘el;⪙elinters;⏧ell;ℓels;⪕elsdot;⪗emacr;ēempty;∅emptyset;∅"
    "emptyv;∅emsp13;\342\200\204emsp14;\342\200\205emsp;\342\200\203eng;ŋensp;\342\200\202eogon;ę"
    "eopf;𝕖epar;⋕eparsl;⧣eplus;⩱epsi;εepsilon;εepsiv;ϵeqcirc;≖eqcolon;≕eqsim;≂eqslantgtr;⪖"
    "eqslantless;⪕equals;=equest;≟equiv;≡equivDD;⩸eqvparsl;⧥erDot;≓erarr;⥱escr;ℯesdot;≐esim;≂"
    "eta;ηethðeth;ðeumlëeuml;ëeuro;€excl;!exist;∃expectation;ℰexponentiale;ⅇfallingdotseq;≒fcy;ф"
    "female;♀ffilig;ﬃfflig;ﬀffllig;ﬄffr;𝔣filig;ﬁfjlig;fjflat;♭fllig;ﬂfltns;▱fnof;ƒfopf;𝕗forall;∀"
    "fork;⋔forkv;⫙fpartint;⨍frac12\302\275frac12;\302\275frac13;\342\205\223frac14\302\274"
    "frac14;\302\274frac15;\342\205\225frac16;\342\205\231frac18;\342\205\233frac23;\342\205\224"
    "frac25;\342\205\226frac34\302\276frac34;\302\276frac35;\342\205\227frac38;\342\205\234"
    "frac45;\342\205\230frac56;\342\205\232frac58;\342\205\235frac78;\342\205\236frasl;⁄frown;⌢"
    "fscr;𝒻gE;≧gEl;⪌gacute;ǵgamma;γgammad;ϝgap;⪆gbreve;ğgcirc;ĝgcy;гgdot;ġge;≥gel;⋛geq;≥geqq;≧"
    "geqslant;⩾ges;⩾gescc;⪩gesdot;⪀gesdoto;⪂gesdotol;⪄gesl;⋛\357\270\200gesles;⪔gfr;𝔤gg;≫ggg;⋙"
    "gimel;ℷgjcy;ѓgl;≷glE;⪒gla;⪥glj;⪤gnE;≩gnap;⪊gnapprox;⪊gne;⪈gneq;⪈gneqq;≩gnsim;⋧gopf;𝕘grave;`"
    "gscr;ℊgsim;≳gsime;⪎gsiml;⪐gt>gt;>gtcc;⪧gtcir;⩺gtdot;⋗gtlPar;\342\246\225gtquest;⩼gtrapprox;⪆"
    "gtrarr;⥸gtrdot;⋗gtreqless;⋛gtreqqless;⪌gtrless;≷gtrsim;≳gvertneqq;≩\357\270\200"
    "gvnE;≩\357\270\200hArr;⇔hairsp;\342\200\212half;\302\275hamilt;ℋhardcy;ъharr;↔harrcir;⥈"
    "harrw;↭hbar;ℏhcirc;ĥhearts;♥heartsuit;♥hellip;\342\200\246hercon;⊹hfr;𝔥hksearow;⤥hkswarow;⤦"
    "hoarr;⇿homtht;∻hookleftarrow;↩hookrightarrow;↪hopf;𝕙horbar;\342\200\225hscr;𝒽hslash;ℏ"
    "hstrok;ħhybull;\342\201\203hyphen;\342\200\220iacuteíiacute;íic;\342\201\243icircîicirc;î"
    "icy;иiecy;еiexcl\302\241iexcl;\302\241iff;⇔ifr;𝔦igraveìigrave;ìii;ⅈiiiint;⨌iiint;∭iinfin;⧜"
    "iiota;℩ijlig;ĳimacr;īimage;ℑimagline;ℐimagpart;ℑimath;ıimof;⊷imped;Ƶin;∈incare;℅infin;∞"
    "infintie;⧝inodot;ıint;∫intcal;⊺integers;ℤintercal;⊺intlarhk;⨗intprod;⨼iocy;ёiogon;įiopf;𝕚"
    "iota;ιiprod;⨼iquest\302\277iquest;\302\277iscr;𝒾isin;∈isinE;⋹isindot;⋵isins;⋴isinsv;⋳isinv;∈"
    "it;\342\201\242itilde;ĩiukcy;іiumlïiuml;ïjcirc;ĵjcy;йjfr;𝔧jmath;ȷjopf;𝕛jscr;𝒿jsercy;јjukcy;є"
    "kappa;κkappav;ϰkcedil;ķkcy;кkfr;𝔨kgreen;ĸkhcy;хkjcy;ќkopf;𝕜kscr;𝓀lAarr;⇚lArr;⇐lAtail;⤛"
    "lBarr;⤎lE;≦lEg;⪋lHar;⥢lacute;ĺlaemptyv;⦴lagran;ℒlambda;λlang;\342\237\250langd;\342\246\221"
    "langle;\342\237\250lap;⪅laquo\302\253laquo;\302\253larr;←larrb;⇤larrbfs;⤟larrfs;⤝larrhk;↩"
    "larrlp;↫larrpl;⤹larrsim;⥳larrtl;↢lat;⪫latail;⤙late;⪭lates;⪭\357\270\200lbarr;⤌"
    "lbbrk;\342\235\262lbrace;{lbrack;[lbrke;\342\246\213lbrksld;\342\246\217lbrkslu;\342\246\215"
    "lcaron;ľlcedil;ļlceil;\342\214\210lcub;{lcy;лldca;⤶ldquo;\342\200\234ldquor;\342\200\236"
    "ldrdhar;⥧ldrushar;⥋ldsh;↲le;≤leftarrow;←leftarrowtail;↢leftharpoondown;↽leftharpoonup;↼"
    "leftleftarrows;⇇leftrightarrow;↔leftrightarrows;⇆leftrightharpoons;⇋leftrightsquigarrow;↭"
    "leftthreetimes;⋋leg;⋚leq;≤leqq;≦leqslant;⩽les;⩽lescc;⪨lesdot;⩿lesdoto;⪁lesdotor;⪃"
    "lesg;⋚\357\270\200lesges;⪓lessapprox;⪅lessdot;⋖lesseqgtr;⋚lesseqqgtr;⪋lessgtr;≶lesssim;≲"
    "lfisht;⥼lfloor;\342\214\212lfr;𝔩lg;≶lgE;⪑lhard;↽lharu;↼lharul;⥪lhblk;▄ljcy;љll;≪llarr;⇇"
    "llcorner;⌞llhard;⥫lltri;◺lmidot;ŀlmoust;⎰lmoustache;⎰lnE;≨lnap;⪉lnapprox;⪉lne;⪇lneq;⪇lneqq;≨"
    "lnsim;⋦loang;\342\237\254loarr;⇽lobrk;\342\237\246longleftarrow;⟵longleftrightarrow;⟷"
    "longmapsto;⟼longrightarrow;⟶looparrowleft;↫looparrowright;↬lopar;\342\246\205lopf;𝕝loplus;⨭"
    "lotimes;⨴lowast;∗lowbar;_loz;◊lozenge;◊lozf;⧫lpar;(lparlt;\342\246\223lrarr;⇆lrcorner;⌟"
    "lrhar;⇋lrhard;⥭lrm;\342\200\216lrtri;⊿lsaquo;\342\200\271lscr;𝓁lsh;↰lsim;≲lsime;⪍lsimg;⪏"
    "lsqb;[lsquo;\342\200\230lsquor;\342\200\232lstrok;łlt<lt;<ltcc;⪦ltcir;⩹ltdot;⋖lthree;⋋"
    "ltimes;⋉ltlarr;⥶ltquest;⩻ltrPar;\342\246\226ltri;◃ltrie;⊴ltrif;◂lurdshar;⥊luruhar;⥦"
    "lvertneqq;≨\357\270\200lvnE;≨\357\270\200mDDot;∺macr¯macr;¯male;♂malt;✠maltese;✠map;↦"
    "mapsto;↦mapstodown;↧mapstoleft;↤mapstoup;↥marker;▮mcomma;⨩mcy;мmdash;\342\200\224"
    "measuredangle;∡mfr;𝔪mho;℧microµmicro;µmid;∣midast;*midcir;⫰middot\302\267middot;\302\267"
    "minus;−minusb;⊟minusd;∸minusdu;⨪mlcp;⫛mldr;\342\200\246mnplus;∓models;⊧mopf;𝕞mp;∓mscr;𝓂"
    "mstpos;∾mu;μmultimap;⊸mumap;⊸nGg;⋙\314\270nGt;≫\342\203\222nGtv;≫\314\270nLeftarrow;⇍"
    "nLeftrightarrow;⇎nLl;⋘\314\270nLt;≪\342\203\222nLtv;≪\314\270nRightarrow;⇏nVDash;⊯nVdash;⊮"
    "nabla;∇nacute;ńnang;∠\342\203\222nap;≉napE;⩰\314\270napid;≋\314\270napos;ŉnapprox;≉natur;♮"
    "natural;♮naturals;ℕnbsp\302\240nbsp;\302\240nbump;≎\314\270nbumpe;≏\314\270ncap;⩃ncaron;ň"
    "ncedil;ņncong;≇ncongdot;⩭\314\270ncup;⩂ncy;нndash;\342\200\223ne;≠neArr;⇗nearhk;⤤nearr;↗"
    "nearrow;↗nedot;≐\314\270nequiv;≢nesear;⤨nesim;≂\314\270nexist;∄nexists;∄nfr;𝔫ngE;≧\314\270"
    "nge;≱ngeq;≱ngeqq;≧\314\270ngeqslant;⩾\314\270nges;⩾\314\270ngsim;≵ngt;≯ngtr;≯nhArr;⇎nharr;↮"
    "nhpar;⫲ni;∋nis;⋼nisd;⋺niv;∋njcy;њnlArr;⇍nlE;≦\314\270nlarr;↚nldr;\342\200\245nle;≰"
    "nleftarrow;↚nleftrightarrow;↮nleq;≰nleqq;≦\314\270nleqslant;⩽\314\270nles;⩽\314\270nless;≮"
    "nlsim;≴nlt;≮nltri;⋪nltrie;⋬nmid;∤nopf;𝕟not¬not;¬notin;∉notinE;⋹\314\270notindot;⋵\314\270"
    "notinva;∉notinvb;⋷notinvc;⋶notni;∌notniva;∌notnivb;⋾notnivc;⋽npar;∦nparallel;∦"
    "nparsl;⫽\342\203\245npart;∂\314\270npolint;⨔npr;⊀nprcue;⋠npre;⪯\314\270nprec;⊀"
    "npreceq;⪯\314\270nrArr;⇏nrarr;↛nrarrc;⤳\314\270nrarrw;↝\314\270nrightarrow;↛nrtri;⋫nrtrie;⋭"
    "nsc;⊁nsccue;⋡nsce;⪰\314\270nscr;𝓃nshortmid;∤nshortparallel;∦nsim;≁nsime;≄nsimeq;≄nsmid;∤"
    "nspar;∦nsqsube;⋢nsqsupe;⋣nsub;⊄nsubE;⫅\314\270nsube;⊈nsubset;⊂\342\203\222nsubseteq;⊈"
    "nsubseteqq;⫅\314\270nsucc;⊁nsucceq;⪰\314\270nsup;⊅nsupE;⫆\314\270nsupe;⊉"
    "nsupset;⊃\342\203\222nsupseteq;⊉nsupseteqq;⫆\314\270ntgl;≹ntildeñntilde;ñntlg;≸"
    "ntriangleleft;⋪ntrianglelefteq;⋬ntriangleright;⋫ntrianglerighteq;⋭nu;νnum;#numero;№"
    "numsp;\342\200\207nvDash;⊭nvHarr;⤄nvap;≍\342\203\222nvdash;⊬nvge;≥\342\203\222"
    "nvgt;>\342\203\222nvinfin;⧞nvlArr;⤂nvle;≤\342\203\222nvlt;<\342\203\222nvltrie;⊴\342\203\222"
    "nvrArr;⤃nvrtrie;⊵\342\203\222nvsim;∼\342\203\222nwArr;⇖nwarhk;⤣nwarr;↖nwarrow;↖nwnear;⤧oS;Ⓢ"
    "oacuteóoacute;óoast;⊛ocir;⊚ocircôocirc;ôocy;оodash;⊝odblac;őodiv;⨸odot;⊙odsold;⦼oelig;œ"
    "ofcir;⦿ofr;𝔬ogon;˛ograveòograve;òogt;⧁ohbar;⦵ohm;Ωoint;∮olarr;↺olcir;⦾olcross;⦻"
    "oline;\342\200\276olt;⧀omacr;ōomega;ωomicron;οomid;⦶ominus;⊖oopf;𝕠opar;⦷operp;⦹oplus;⊕or;∨"
    "orarr;↻ord;⩝order;ℴorderof;ℴordfªordf;ªordmºordm;ºorigof;⊶oror;⩖orslope;⩗orv;⩛oscr;ℴoslashø"
    "oslash;øosol;⊘otildeõotilde;õotimes;⊗otimesas;⨶oumlöouml;öovbar;⌽par;∥para\302\266"
    "para;\302\266parallel;∥parsim;⫳parsl;⫽part;∂pcy;пpercnt;%period;.permil;\342\200\260perp;⊥"
    "pertenk;\342\200\261pfr;𝔭phi;φphiv;ϕphmmat;ℳphone;☎pi;πpitchfork;⋔piv;ϖplanck;ℏplanckh;ℎ"
    "plankv;ℏplus;+plusacir;⨣plusb;⊞pluscir;⨢plusdo;∔plusdu;⨥pluse;⩲plusmn±plusmn;±plussim;⨦"
    "plustwo;⨧pm;±pointint;⨕popf;𝕡pound£pound;£pr;≺prE;⪳prap;⪷prcue;≼pre;⪯prec;≺precapprox;⪷"
    "preccurlyeq;≼preceq;⪯precnapprox;⪹precneqq;⪵precnsim;⋨precsim;≾prime;\342\200\262primes;ℙ"
    "prnE;⪵prnap;⪹prnsim;⋨prod;∏profalar;⌮profline;⌒profsurf;⌓prop;∝propto;∝prsim;≾prurel;⊰pscr;𝓅"
    "psi;ψpuncsp;\342\200\210qfr;𝔮qint;⨌qopf;𝕢qprime;\342\201\227qscr;𝓆quaternions;ℍquatint;⨖"
    "quest;\077questeq;≟quot\042quot;\042rAarr;⇛rArr;⇒rAtail;⤜rBarr;⤏rHar;⥤race;∽\314\261racute;ŕ"
    "radic;√raemptyv;⦳rang;\342\237\251rangd;\342\246\222range;⦥rangle;\342\237\251raquo\302\273"
    "raquo;\302\273rarr;→rarrap;⥵rarrb;⇥rarrbfs;⤠rarrc;⤳rarrfs;⤞rarrhk;↪rarrlp;↬rarrpl;⥅rarrsim;⥴"
    "rarrtl;↣rarrw;↝ratail;⤚ratio;∶rationals;ℚrbarr;⤍rbbrk;\342\235\263rbrace;}rbrack;]"
    "rbrke;\342\246\214rbrksld;\342\246\216rbrkslu;\342\246\220rcaron;řrcedil;ŗrceil;\342\214\211"
    "rcub;}rcy;рrdca;⤷rdldhar;⥩rdquo;\342\200\235rdquor;\342\200\235rdsh;↳real;ℜrealine;ℛ"
    "realpart;ℜreals;ℝrect;▭reg®reg;®rfisht;⥽rfloor;\342\214\213rfr;𝔯rhard;⇁rharu;⇀rharul;⥬rho;ρ"
    "rhov;ϱrightarrow;→rightarrowtail;↣rightharpoondown;⇁rightharpoonup;⇀rightleftarrows;⇄"
    "rightleftharpoons;⇌rightrightarrows;⇉rightsquigarrow;↝rightthreetimes;⋌ring;˚risingdotseq;≓"
    "rlarr;⇄rlhar;⇌rlm;\342\200\217rmoust;⎱rmoustache;⎱rnmid;⫮roang;\342\237\255roarr;⇾"
    "robrk;\342\237\247ropar;\342\246\206ropf;𝕣roplus;⨮rotimes;⨵rpar;)rpargt;\342\246\224"
    "rppolint;⨒rrarr;⇉rsaquo;\342\200\272rscr;𝓇rsh;↱rsqb;]rsquo;\342\200\231rsquor;\342\200\231"
    "rthree;⋌rtimes;⋊rtri;▹rtrie;⊵rtrif;▸rtriltri;⧎ruluhar;⥨rx;℞sacute;śsbquo;\342\200\232sc;≻"
    "scE;⪴scap;⪸scaron;šsccue;≽sce;⪰scedil;şscirc;ŝscnE;⪶scnap;⪺scnsim;⋩scpolint;⨓scsim;≿scy;с"
    "sdot;⋅sdotb;⊡sdote;⩦seArr;⇘searhk;⤥searr;↘searrow;↘sect\302\247sect;\302\247semi;;seswar;⤩"
    "setminus;∖setmn;∖sext;✶sfr;𝔰sfrown;⌢sharp;♯shchcy;щshcy;шshortmid;∣shortparallel;∥"
    "shy\302\255shy;\302\255sigma;σsigmaf;ςsigmav;ςsim;∼simdot;⩪sime;≃simeq;≃simg;⪞simgE;⪠siml;⪝"
    "simlE;⪟simne;≆simplus;⨤simrarr;⥲slarr;←smallsetminus;∖smashp;⨳smeparsl;⧤smid;∣smile;⌣smt;⪪"
    "smte;⪬smtes;⪬\357\270\200softcy;ьsol;/solb;⧄solbar;⌿sopf;𝕤spades;♠spadesuit;♠spar;∥sqcap;⊓"
    "sqcaps;⊓\357\270\200sqcup;⊔sqcups;⊔\357\270\200sqsub;⊏sqsube;⊑sqsubset;⊏sqsubseteq;⊑sqsup;⊐"
    "sqsupe;⊒sqsupset;⊐sqsupseteq;⊒squ;□square;□squarf;▪squf;▪srarr;→sscr;𝓈ssetmn;∖ssmile;⌣"
    "sstarf;⋆star;☆starf;★straightepsilon;ϵstraightphi;ϕstrns;¯sub;⊂subE;⫅subdot;⪽sube;⊆subedot;⫃"
    "submult;⫁subnE;⫋subne;⊊subplus;⪿subrarr;⥹subset;⊂subseteq;⊆subseteqq;⫅subsetneq;⊊"
    "subsetneqq;⫋subsim;⫇subsub;⫕subsup;⫓succ;≻succapprox;⪸succcurlyeq;≽succeq;⪰succnapprox;⪺"
    "succneqq;⪶succnsim;⋩succsim;≿sum;∑sung;♪sup1\302\271sup1;\302\271sup2\302\262sup2;\302\262"
    "sup3\302\263sup3;\302\263sup;⊃supE;⫆supdot;⪾supdsub;⫘supe;⊇supedot;⫄suphsol;⟉suphsub;⫗"
    "suplarr;⥻supmult;⫂supnE;⫌supne;⊋supplus;⫀supset;⊃supseteq;⊇supseteqq;⫆supsetneq;⊋"
    "supsetneqq;⫌supsim;⫈supsub;⫔supsup;⫖swArr;⇙swarhk;⤦swarr;↙swarrow;↙swnwar;⤪szligßszlig;ß"
    "target;⌖tau;τtbrk;⎴tcaron;ťtcedil;ţtcy;тtdot;\342\203\233telrec;⌕tfr;𝔱there4;∴therefore;∴"
    "theta;θthetasym;ϑthetav;ϑthickapprox;≈thicksim;∼thinsp;\342\200\211thkap;≈thksim;∼thornþ"
    "thorn;þtilde;˜times×times;×timesb;⊠timesbar;⨱timesd;⨰tint;∭toea;⤨top;⊤topbot;⌶topcir;⫱topf;𝕥"
    "topfork;⫚tosa;⤩tprime;\342\200\264trade;™triangle;▵triangledown;▿triangleleft;◃"
    "trianglelefteq;⊴triangleq;≜triangleright;▹trianglerighteq;⊵tridot;◬trie;≜triminus;⨺triplus;⨹"
    "trisb;⧍tritime;⨻trpezium;⏢tscr;𝓉tscy;цtshcy;ћtstrok;ŧtwixt;≬twoheadleftarrow;↞"
    "twoheadrightarrow;↠uArr;⇑uHar;⥣uacuteúuacute;úuarr;↑ubrcy;ўubreve;ŭucircûucirc;ûucy;уudarr;⇅"
    "udblac;űudhar;⥮ufisht;⥾ufr;𝔲ugraveùugrave;ùuharl;↿uharr;↾uhblk;▀ulcorn;⌜ulcorner;⌜ulcrop;⌏"
    "ultri;◸umacr;ūuml¨uml;¨uogon;ųuopf;𝕦uparrow;↑updownarrow;↕upharpoonleft;↿upharpoonright;↾"
    "uplus;⊎upsi;υupsih;ϒupsilon;υupuparrows;⇈urcorn;⌝urcorner;⌝urcrop;⌎uring;ůurtri;◹uscr;𝓊"
    "utdot;⋰utilde;ũutri;▵utrif;▴uuarr;⇈uumlüuuml;üuwangle;⦧vArr;⇕vBar;⫨vBarv;⫩vDash;⊨vangrt;⦜"
    "varepsilon;ϵvarkappa;ϰvarnothing;∅varphi;ϕvarpi;ϖvarpropto;∝varr;↕varrho;ϱvarsigma;ς"
    "varsubsetneq;⊊\357\270\200varsubsetneqq;⫋\357\270\200varsupsetneq;⊋\357\270\200"
    "varsupsetneqq;⫌\357\270\200vartheta;ϑvartriangleleft;⊲vartriangleright;⊳vcy;вvdash;⊢vee;∨"
    "veebar;⊻veeeq;≚vellip;⋮verbar;|vert;|vfr;𝔳vltri;⊲vnsub;⊂\342\203\222vnsup;⊃\342\203\222"
    "vopf;𝕧vprop;∝vrtri;⊳vscr;𝓋vsubnE;⫋\357\270\200vsubne;⊊\357\270\200vsupnE;⫌\357\270\200"
    "vsupne;⊋\357\270\200vzigzag;⦚wcirc;ŵwedbar;⩟wedge;∧wedgeq;≙weierp;℘wfr;𝔴wopf;𝕨wp;℘wr;≀"
    "wreath;≀wscr;𝓌xcap;⋂xcirc;◯xcup;⋃xdtri;▽xfr;𝔵xhArr;⟺xharr;⟷xi;ξxlArr;⟸xlarr;⟵xmap;⟼xnis;⋻"
    "xodot;⨀xopf;𝕩xoplus;⨁xotime;⨂xrArr;⟹xrarr;⟶xscr;𝓍xsqcup;⨆xuplus;⨄xutri;△xvee;⋁xwedge;⋀"
    "yacuteýyacute;ýyacy;яycirc;ŷycy;ыyen¥yen;¥yfr;𝔶yicy;їyopf;𝕪yscr;𝓎yucy;юyumlÿyuml;ÿzacute;ź"
    "zcaron;žzcy;зzdot;żzeetrf;ℨzeta;ζzfr;𝔷zhcy;жzigrarr;⇝zopf;𝕫zscr;𝓏zwj;\342\200\215"
    "zwnj;\342\200\214";

const html_entity html_entities[HTML_ENTITIES] = {
    {0, 5, 2},{7, 6, 2},{15, 3, 1},{19, 4, 1},{24, 6, 2},{32, 7, 2},{41, 7, 2},{50, 5, 2},
    {57, 6, 2},{65, 4, 2},{71, 4, 4},{79, 6, 2},{87, 7, 2},{96, 6, 2},{104, 6, 2},{112, 4, 3},
    {119, 6, 2},{127, 5, 4},{136, 14, 3},{153, 5, 2},{160, 6, 2},{168, 5, 4},{177, 7, 3},
    {187, 6, 2},{195, 7, 2},{204, 4, 2},{210, 5, 2},{217, 10, 3},{230, 5, 3},{238, 7, 3},
    {248, 4, 2},{254, 8, 3},{265, 11, 3},{279, 5, 2},{286, 4, 4},{294, 5, 4},{303, 6, 2},
    {311, 5, 3},{319, 7, 3},{329, 5, 2},{336, 4, 2},{342, 5, 2},{349, 7, 2},{358, 4, 3},
    {365, 21, 3},{389, 8, 3},{400, 7, 2},{409, 6, 2},{417, 7, 2},{426, 6, 2},{434, 8, 3},
    {445, 5, 2},{452, 8, 2},{462, 10, 2},{474, 4, 3},{481, 4, 2},{487, 10, 3},{500, 12, 3},
    {515, 11, 3},{529, 12, 3},{544, 25, 3},{572, 22, 3},{597, 16, 3},{616, 6, 3},{625, 7, 3},
    {635, 10, 3},{648, 7, 3},{658, 16, 3},{677, 5, 3},{685, 10, 3},{698, 32, 3},{733, 6, 3},
    {742, 5, 4},{751, 4, 3},{758, 7, 3},{768, 3, 3},{774, 9, 3},{786, 5, 2},{793, 5, 2},
    {800, 5, 2},{807, 7, 3},{817, 5, 3},{825, 6, 3},{834, 7, 2},{843, 4, 2},{849, 4, 3},
    {856, 6, 2},{864, 4, 4},{872, 17, 2},{891, 15, 2},{908, 23, 2},{933, 17, 1},{951, 17, 2},
    {970, 8, 3},{981, 14, 3},{998, 5, 4},{1007, 4, 2},{1013, 7, 3},{1023, 9, 3},{1035, 22, 3},
    {1060, 10, 2},{1072, 16, 3},{1091, 16, 3},{1110, 21, 3},{1134, 14, 3},{1151, 20, 3},
    {1174, 25, 3},{1202, 21, 3},{1226, 17, 3},{1246, 15, 3},{1264, 14, 3},{1281, 18, 3},
    {1302, 18, 3},{1323, 10, 3},{1336, 13, 3},{1352, 17, 3},{1372, 10, 2},{1384, 20, 3},
    {1407, 18, 3},{1428, 15, 3},{1446, 18, 3},{1467, 19, 3},{1489, 16, 3},{1508, 19, 3},
    {1530, 8, 3},{1541, 13, 3},{1557, 10, 3},{1570, 5, 4},{1579, 7, 2},{1588, 4, 2},{1594, 3, 2},
    {1599, 4, 2},{1605, 6, 2},{1613, 7, 2},{1622, 7, 2},{1631, 5, 2},{1638, 6, 2},{1646, 4, 2},
    {1652, 5, 2},{1659, 4, 4},{1667, 6, 2},{1675, 7, 2},{1684, 8, 3},{1695, 6, 2},{1703, 17, 3},
    {1723, 21, 3},{1747, 6, 2},{1755, 5, 4},{1764, 8, 2},{1774, 6, 3},{1783, 11, 3},{1797, 12, 3},
    {1812, 5, 3},{1820, 5, 3},{1828, 4, 2},{1834, 4, 2},{1840, 5, 2},{1847, 7, 3},{1857, 13, 3},
    {1873, 4, 2},{1879, 4, 4},{1887, 18, 3},{1908, 22, 3},{1933, 5, 4},{1942, 7, 3},{1952, 11, 3},
    {1966, 5, 3},{1974, 5, 2},{1981, 2, 1},{1984, 3, 1},{1988, 6, 2},{1996, 7, 2},{2005, 7, 2},
    {2014, 7, 2},{2023, 6, 2},{2031, 4, 2},{2037, 5, 2},{2044, 4, 4},{2052, 3, 3},{2058, 5, 4},
    {2067, 13, 3},{2083, 17, 3},{2103, 17, 3},{2123, 15, 3},{2141, 12, 3},{2156, 18, 3},
    {2177, 13, 3},{2193, 5, 4},{2202, 3, 3},{2208, 7, 2},{2217, 6, 2},{2225, 4, 1},{2230, 6, 2},
    {2238, 4, 3},{2245, 13, 3},{2261, 5, 3},{2269, 15, 3},{2287, 5, 3},{2295, 7, 2},{2304, 13, 3},
    {2320, 10, 3},{2333, 5, 2},{2340, 6, 2},{2348, 5, 2},{2355, 6, 2},{2363, 7, 2},{2372, 5, 2},
    {2379, 6, 2},{2387, 4, 2},{2393, 5, 2},{2400, 4, 3},{2407, 6, 2},{2415, 7, 2},{2424, 3, 3},
    {2430, 6, 2},{2438, 11, 3},{2452, 8, 3},{2463, 4, 3},{2470, 9, 3},{2482, 13, 3},{2498, 15, 3},
    {2516, 15, 3},{2534, 6, 2},{2542, 5, 4},{2551, 5, 2},{2558, 5, 3},{2566, 7, 2},{2575, 6, 2},
    {2583, 4, 2},{2589, 5, 2},{2596, 6, 2},{2604, 4, 2},{2610, 4, 4},{2618, 5, 4},{2627, 5, 4},
    {2636, 7, 2},{2645, 6, 2},{2653, 5, 2},{2660, 5, 2},{2667, 6, 2},{2675, 7, 2},{2684, 4, 2},
    {2690, 4, 4},{2698, 5, 4},{2707, 5, 4},{2716, 5, 2},{2723, 2, 1},{2726, 3, 1},{2730, 7, 2},
    {2739, 7, 2},{2748, 5, 3},{2756, 11, 3},{2770, 5, 3},{2778, 7, 2},{2787, 7, 2},{2796, 4, 2},
    {2802, 17, 3},{2822, 10, 3},{2835, 13, 3},{2851, 20, 3},{2874, 12, 3},{2889, 18, 3},
    {2910, 18, 3},{2931, 15, 3},{2949, 18, 3},{2970, 10, 3},{2983, 15, 3},{3001, 16, 3},
    {3020, 8, 3},{3031, 13, 3},{3047, 14, 3},{3064, 13, 3},{3080, 16, 3},{3099, 18, 3},
    {3120, 17, 3},{3140, 16, 3},{3159, 13, 3},{3175, 16, 3},{3194, 11, 3},{3208, 14, 3},
    {3225, 10, 3},{3238, 15, 3},{3256, 17, 3},{3276, 14, 3},{3293, 12, 3},{3308, 9, 3},
    {3320, 15, 3},{3338, 10, 3},{3351, 4, 4},{3359, 3, 3},{3365, 11, 3},{3379, 7, 2},
    {3388, 14, 3},{3405, 19, 3},{3427, 15, 3},{3445, 14, 3},{3462, 19, 3},{3484, 15, 3},
    {3502, 5, 4},{3511, 15, 3},{3529, 16, 3},{3548, 5, 3},{3556, 4, 3},{3563, 7, 2},{3572, 3, 3},
    {3578, 4, 3},{3585, 4, 2},{3591, 12, 3},{3606, 10, 3},{3619, 4, 4},{3627, 10, 3},{3640, 5, 4},
    {3649, 5, 3},{3657, 3, 2},{3662, 5, 2},{3669, 7, 2},{3678, 7, 2},{3687, 7, 2},{3696, 4, 2},
    {3702, 20, 3},{3725, 19, 3},{3747, 18, 3},{3768, 22, 3},{3793, 21, 3},{3817, 15, 3},
    {3835, 8, 1},{3844, 4, 4},{3852, 8, 3},{3863, 17, 2},{3882, 5, 3},{3890, 4, 3},{3897, 13, 3},
    {3913, 10, 3},{3926, 21, 3},{3950, 11, 3},{3964, 9, 3},{3976, 14, 5},{3995, 10, 3},
    {4008, 11, 3},{4022, 16, 3},{4041, 20, 5},{4066, 18, 5},{4089, 15, 3},{4107, 21, 5},
    {4133, 16, 3},{4152, 16, 5},{4173, 13, 5},{4191, 16, 3},{4210, 19, 5},{4234, 21, 3},
    {4258, 8, 3},{4269, 13, 3},{4285, 15, 3},{4303, 12, 5},{4320, 18, 5},{4343, 13, 3},
    {4359, 24, 5},{4388, 18, 5},{4411, 12, 3},{4426, 17, 5},{4448, 22, 3},{4473, 18, 3},
    {4494, 17, 3},{4514, 20, 5},{4539, 22, 3},{4564, 16, 5},{4585, 21, 3},{4609, 18, 5},
    {4632, 23, 3},{4658, 10, 6},{4674, 15, 3},{4692, 12, 3},{4707, 17, 5},{4729, 22, 3},
    {4754, 17, 5},{4776, 12, 6},{4794, 17, 3},{4814, 9, 3},{4826, 14, 3},{4843, 18, 3},
    {4864, 14, 3},{4881, 15, 3},{4899, 5, 4},{4908, 6, 2},{4916, 7, 2},{4925, 3, 2},{4930, 6, 2},
    {4938, 6, 2},{4946, 7, 2},{4955, 5, 2},{4962, 6, 2},{4970, 4, 2},{4976, 7, 2},{4985, 4, 4},
    {4993, 6, 2},{5001, 7, 2},{5010, 6, 2},{5018, 6, 2},{5026, 8, 2},{5036, 5, 4},{5045, 21, 3},
    {5069, 15, 3},{5087, 3, 3},{5093, 5, 4},{5102, 6, 2},{5110, 7, 2},{5119, 6, 2},{5127, 7, 2},
    {5136, 7, 3},{5146, 4, 2},{5152, 5, 2},{5159, 8, 3},{5170, 10, 3},{5183, 12, 3},{5198, 16, 3},
    {5217, 9, 3},{5229, 4, 2},{5235, 4, 4},{5243, 4, 2},{5249, 3, 2},{5254, 10, 2},{5266, 14, 3},
    {5283, 5, 3},{5291, 3, 3},{5297, 9, 3},{5309, 14, 3},{5326, 19, 3},{5348, 14, 3},{5365, 6, 3},
    {5374, 8, 3},{5385, 11, 3},{5399, 13, 3},{5415, 5, 4},{5424, 4, 2},{5430, 4, 1},{5435, 5, 1},
    {5441, 4, 4},{5449, 5, 3},{5457, 5, 4},{5466, 6, 3},{5475, 3, 2},{5480, 4, 2},{5486, 7, 2},
    {5495, 5, 3},{5503, 5, 3},{5511, 7, 3},{5521, 7, 2},{5530, 7, 2},{5539, 4, 2},{5545, 3, 3},
    {5551, 15, 3},{5569, 19, 3},{5591, 21, 3},{5615, 4, 3},{5622, 4, 2},{5628, 18, 3},
    {5649, 11, 3},{5663, 14, 3},{5680, 20, 3},{5703, 13, 3},{5719, 19, 3},{5741, 19, 3},
    {5763, 16, 3},{5782, 19, 3},{5804, 11, 3},{5818, 9, 3},{5830, 14, 3},{5847, 15, 3},
    {5865, 14, 3},{5882, 17, 3},{5902, 19, 3},{5924, 18, 3},{5945, 17, 3},{5965, 14, 3},
    {5982, 17, 3},{6002, 12, 3},{6017, 15, 3},{6035, 11, 3},{6049, 5, 3},{6057, 13, 3},
    {6073, 12, 3},{6088, 5, 3},{6096, 4, 3},{6103, 12, 3},{6118, 7, 2},{6127, 5, 2},{6134, 7, 2},
    {6143, 7, 2},{6152, 3, 3},{6158, 7, 2},{6167, 7, 2},{6176, 6, 2},{6184, 4, 2},{6190, 4, 4},
    {6198, 15, 3},{6216, 15, 3},{6234, 16, 3},{6253, 13, 3},{6269, 6, 2},{6277, 12, 3},
    {6292, 5, 4},{6301, 5, 3},{6309, 7, 3},{6319, 19, 3},{6341, 13, 3},{6357, 18, 3},
    {6378, 15, 3},{6396, 20, 3},{6419, 12, 3},{6434, 5, 4},{6443, 5, 3},{6451, 4, 3},{6458, 7, 3},
    {6468, 12, 3},{6483, 9, 3},{6495, 14, 3},{6512, 19, 3},{6534, 14, 3},{6551, 9, 3},
    {6563, 4, 3},{6570, 4, 3},{6577, 9, 3},{6589, 14, 3},{6606, 7, 3},{6616, 5, 2},{6623, 6, 2},
    {6631, 6, 3},{6640, 6, 2},{6648, 5, 2},{6655, 4, 1},{6660, 4, 2},{6666, 7, 2},{6675, 7, 2},
    {6684, 4, 2},{6690, 4, 4},{6698, 10, 3},{6711, 6, 2},{6719, 11, 6},{6736, 10, 3},{6749, 6, 3},
    {6758, 11, 3},{6772, 15, 3},{6790, 11, 3},{6804, 5, 4},{6813, 10, 3},{6826, 5, 4},
    {6835, 7, 2},{6844, 6, 2},{6852, 7, 2},{6861, 5, 3},{6869, 9, 3},{6881, 6, 2},{6889, 7, 2},
    {6898, 5, 2},{6905, 6, 2},{6913, 4, 2},{6919, 7, 2},{6928, 4, 4},{6936, 6, 2},{6944, 7, 2},
    {6953, 6, 2},{6961, 9, 1},{6971, 11, 3},{6985, 13, 3},{7001, 17, 3},{7021, 6, 3},
    {7030, 10, 3},{7043, 6, 2},{7051, 5, 4},{7060, 8, 3},{7071, 11, 3},{7085, 17, 3},
    {7105, 12, 3},{7120, 14, 3},{7137, 6, 3},{7146, 11, 3},{7160, 8, 3},{7171, 12, 3},
    {7186, 15, 3},{7204, 16, 3},{7223, 5, 2},{7230, 8, 2},{7240, 6, 2},{7248, 5, 4},{7257, 7, 2},
    {7266, 4, 2},{7272, 5, 2},{7279, 6, 3},{7288, 5, 3},{7296, 4, 2},{7302, 6, 3},{7311, 7, 3},
    {7321, 4, 3},{7328, 7, 3},{7338, 5, 3},{7346, 12, 3},{7361, 13, 1},{7375, 18, 3},
    {7396, 14, 3},{7413, 14, 3},{7430, 4, 4},{7438, 5, 4},{7447, 5, 4},{7456, 7, 3},{7466, 6, 2},
    {7474, 6, 3},{7483, 4, 4},{7491, 5, 4},{7500, 5, 4},{7509, 4, 4},{7517, 3, 2},{7522, 5, 4},
    {7531, 5, 4},{7540, 5, 2},{7547, 5, 2},{7554, 5, 2},{7561, 6, 2},{7569, 7, 2},{7578, 6, 2},
    {7586, 4, 2},{7592, 4, 4},{7600, 5, 4},{7609, 5, 4},{7618, 5, 2},{7625, 5, 2},{7632, 7, 2},
    {7641, 7, 2},{7650, 4, 2},{7656, 5, 2},{7663, 15, 3},{7681, 5, 2},{7688, 4, 3},{7695, 5, 3},
    {7703, 5, 4},{7712, 6, 2},{7720, 7, 2},{7729, 7, 2},{7738, 3, 3},{7744, 4, 5},{7753, 4, 3},
    {7760, 5, 2},{7767, 6, 2},{7775, 5, 2},{7782, 6, 2},{7790, 4, 2},{7796, 5, 2},{7803, 6, 2},
    {7811, 3, 3},{7817, 4, 4},{7825, 6, 2},{7833, 7, 2},{7842, 8, 3},{7853, 6, 3},{7862, 6, 2},
    {7870, 6, 2},{7878, 6, 3},{7887, 3, 1},{7891, 4, 1},{7896, 4, 3},{7903, 7, 3},{7913, 5, 3},
    {7921, 9, 3},{7933, 5, 3},{7941, 4, 3},{7948, 5, 3},{7956, 6, 3},{7965, 7, 3},{7975, 9, 3},
    {7987, 9, 3},{7999, 9, 3},{8011, 9, 3},{8023, 9, 3},{8035, 9, 3},{8047, 9, 3},{8059, 9, 3},
    {8071, 6, 3},{8080, 8, 3},{8091, 9, 3},{8103, 7, 3},{8113, 6, 2},{8121, 8, 3},{8132, 6, 2},
    {8140, 5, 4},{8149, 3, 3},{8155, 4, 3},{8162, 7, 3},{8172, 4, 3},{8179, 5, 3},{8187, 5, 1},
    {8193, 7, 3},{8203, 9, 3},{8215, 5, 2},{8222, 6, 2},{8230, 5, 4},{8239, 4, 1},{8244, 6, 3},
    {8253, 8, 3},{8264, 6, 2},{8272, 7, 2},{8281, 4, 2},{8287, 5, 2},{8294, 9, 3},{8306, 6, 3},
    {8315, 5, 3},{8323, 9, 3},{8335, 12, 2},{8349, 10, 3},{8362, 8, 3},{8373, 10, 3},{8386, 7, 3},
    {8396, 7, 3},{8406, 9, 3},{8418, 5, 3},{8426, 9, 3},{8438, 6, 3},{8447, 4, 2},{8453, 6, 3},
    {8462, 7, 3},{8472, 8, 3},{8483, 8, 3},{8494, 6, 2},{8502, 7, 3},{8512, 5, 2},{8519, 5, 3},
    {8527, 8, 3},{8538, 4, 4},{8546, 7, 3},{8556, 8, 3},{8567, 7, 3},{8577, 8, 3},{8588, 9, 3},
    {8600, 10, 3},{8613, 9, 3},{8625, 8, 3},{8636, 16, 3},{8655, 14, 3},{8672, 9, 3},{8684, 7, 3},
    {8694, 9, 3},{8706, 7, 3},{8716, 13, 3},{8732, 12, 3},{8747, 14, 3},{8764, 18, 3},
    {8785, 18, 3},{8806, 19, 3},{8828, 6, 3},{8837, 6, 3},{8846, 6, 3},{8855, 6, 3},{8864, 6, 3},
    {8873, 4, 4},{8881, 8, 6},{8895, 5, 3},{8903, 5, 4},{8912, 4, 3},{8919, 7, 3},{8929, 7, 3},
    {8939, 6, 3},{8948, 6, 3},{8957, 6, 3},{8966, 6, 3},{8975, 5, 3},{8983, 6, 3},{8992, 6, 3},
    {9001, 6, 3},{9010, 6, 3},{9019, 6, 3},{9028, 6, 3},{9037, 6, 3},{9046, 6, 3},{9055, 5, 3},
    {9063, 6, 3},{9072, 6, 3},{9081, 6, 3},{9090, 6, 3},{9099, 6, 3},{9108, 6, 3},{9117, 7, 3},
    {9127, 6, 3},{9136, 6, 3},{9145, 6, 3},{9154, 6, 3},{9163, 5, 3},{9171, 6, 3},{9180, 6, 3},
    {9189, 6, 3},{9198, 6, 3},{9207, 9, 3},{9219, 8, 3},{9230, 9, 3},{9242, 6, 3},{9251, 6, 3},
    {9260, 6, 3},{9269, 6, 3},{9278, 5, 3},{9286, 6, 3},{9295, 6, 3},{9304, 6, 3},{9313, 6, 3},
    {9322, 6, 3},{9331, 6, 3},{9340, 7, 3},{9350, 6, 2},{9358, 6, 2},{9366, 7, 2},{9375, 5, 4},
    {9384, 6, 3},{9393, 5, 3},{9401, 6, 3},{9410, 5, 1},{9416, 6, 3},{9425, 9, 3},{9437, 5, 3},
    {9445, 7, 3},{9455, 5, 3},{9463, 6, 3},{9472, 6, 3},{9481, 7, 3},{9491, 7, 2},{9500, 4, 3},
    {9507, 7, 3},{9517, 9, 3},{9529, 7, 3},{9539, 7, 3},{9549, 7, 3},{9559, 5, 6},{9570, 6, 3},
    {9579, 6, 2},{9587, 6, 3},{9596, 7, 2},{9605, 6, 2},{9613, 7, 2},{9622, 6, 2},{9630, 6, 3},
    {9639, 8, 3},{9650, 5, 2},{9657, 5, 2},{9664, 6, 2},{9672, 8, 3},{9683, 4, 2},{9689, 5, 2},
    {9696, 10, 2},{9708, 4, 4},{9716, 5, 2},{9723, 6, 3},{9732, 10, 3},{9745, 4, 2},{9751, 4, 3},
    {9758, 5, 3},{9766, 5, 2},{9773, 7, 3},{9783, 16, 3},{9802, 17, 3},{9822, 9, 2},{9833, 9, 3},
    {9845, 11, 3},{9859, 12, 3},{9874, 12, 3},{9889, 5, 3},{9897, 9, 3},{9909, 7, 3},{9919, 8, 3},
    {9930, 6, 3},{9939, 9, 3},{9951, 6, 1},{9958, 7, 3},{9968, 8, 3},{9979, 6, 1},{9986, 7, 1},
    {9994, 5, 3},{10002, 7, 3},{10012, 11, 3},{10026, 10, 3},{10039, 5, 3},{10047, 8, 3},
    {10058, 7, 3},{10068, 5, 4},{10077, 7, 3},{10087, 4, 2},{10093, 5, 2},{10100, 7, 3},
    {10110, 6, 3},{10119, 6, 3},{10128, 5, 4},{10137, 5, 3},{10145, 6, 3},{10154, 5, 3},
    {10162, 6, 3},{10171, 6, 3},{10180, 8, 3},{10191, 8, 3},{10202, 6, 3},{10211, 6, 3},
    {10220, 7, 3},{10230, 8, 3},{10241, 4, 3},{10248, 9, 3},{10260, 7, 3},{10270, 7, 3},
    {10280, 7, 3},{10290, 6, 3},{10299, 5, 6},{10310, 7, 3},{10320, 8, 3},{10331, 12, 3},
    {10346, 12, 3},{10361, 9, 3},{10373, 11, 3},{10387, 6, 2},{10395, 7, 2},{10404, 15, 3},
    {10422, 16, 3},{10441, 6, 3},{10450, 6, 3},{10459, 9, 3},{10471, 6, 3},{10480, 7, 3},
    {10490, 5, 3},{10498, 5, 3},{10506, 7, 3},{10516, 7, 3},{10526, 5, 3},{10534, 5, 3},
    {10542, 6, 3},{10551, 8, 3},{10562, 6, 2},{10570, 7, 2},{10579, 4, 2},{10585, 3, 3},
    {10591, 8, 3},{10602, 6, 3},{10611, 8, 3},{10622, 3, 2},{10627, 4, 2},{10633, 6, 2},
    {10641, 8, 3},{10652, 7, 3},{10662, 4, 4},{10670, 6, 3},{10679, 6, 3},{10688, 5, 3},
    {10696, 8, 3},{10707, 12, 3},{10722, 6, 3},{10731, 4, 2},{10737, 8, 2},{10747, 6, 3},
    {10756, 4, 2},{10762, 6, 2},{10770, 7, 2},{10779, 14, 3},{10796, 7, 3},{10806, 5, 2},
    {10813, 7, 3},{10823, 7, 3},{10833, 7, 1},{10841, 5, 4},{10850, 4, 2},{10856, 6, 3},
    {10865, 9, 3},{10877, 9, 3},{10889, 8, 3},{10900, 10, 3},{10913, 15, 3},{10931, 10, 3},
    {10944, 15, 3},{10962, 16, 3},{10981, 17, 3},{11001, 9, 3},{11013, 7, 3},{11023, 7, 3},
    {11033, 5, 4},{11042, 5, 2},{11049, 5, 3},{11057, 7, 2},{11066, 6, 3},{11075, 5, 3},
    {11083, 6, 3},{11092, 6, 3},{11101, 6, 3},{11110, 8, 3},{11121, 5, 2},{11128, 9, 3},
    {11140, 6, 3},{11149, 5, 3},{11157, 6, 2},{11165, 7, 2},{11174, 7, 3},{11184, 7, 2},
    {11193, 5, 3},{11201, 5, 2},{11208, 6, 2},{11216, 7, 3},{11226, 4, 2},{11232, 5, 2},
    {11239, 3, 3},{11245, 6, 3},{11254, 4, 4},{11262, 3, 3},{11268, 6, 2},{11276, 7, 2},
    {11285, 4, 3},{11292, 7, 3},{11302, 3, 3},{11308, 9, 3},{11320, 4, 3},{11327, 4, 3},
    {11334, 7, 3},{11344, 6, 2},{11352, 6, 3},{11361, 9, 3},{11373, 7, 3},{11383, 7, 3},
    {11393, 7, 3},{11403, 5, 3},{11411, 4, 2},{11417, 5, 3},{11425, 6, 2},{11433, 5, 4},
    {11442, 5, 3},{11450, 7, 3},{11460, 6, 3},{11469, 5, 2},{11476, 8, 2},{11486, 6, 2},
    {11494, 7, 3},{11504, 8, 3},{11515, 6, 3},{11524, 11, 3},{11538, 12, 3},{11553, 7, 1},
    {11561, 7, 3},{11571, 6, 3},{11580, 8, 3},{11591, 9, 3},{11603, 6, 3},{11612, 6, 3},
    {11621, 5, 3},{11629, 6, 3},{11638, 5, 3},{11646, 4, 2},{11652, 3, 2},{11657, 4, 2},
    {11663, 4, 2},{11669, 5, 2},{11676, 5, 3},{11684, 5, 1},{11690, 6, 3},{11699, 12, 3},
    {11714, 13, 3},{11730, 14, 3},{11747, 4, 2},{11753, 7, 3},{11763, 7, 3},{11773, 6, 3},
    {11782, 7, 3},{11792, 4, 4},{11800, 6, 3},{11809, 6, 2},{11817, 5, 3},{11825, 6, 3},
    {11834, 6, 3},{11843, 5, 2},{11850, 5, 4},{11859, 7, 3},{11869, 5, 3},{11877, 6, 3},
    {11886, 9, 3},{11898, 6, 2},{11906, 7, 2},{11915, 7, 3},{11925, 6, 2},{11933, 7, 2},
    {11942, 7, 3},{11952, 7, 3},{11962, 7, 3},{11972, 7, 3},{11982, 7, 3},{11992, 6, 2},
    {12000, 7, 2},{12009, 7, 3},{12019, 7, 3},{12029, 7, 3},{12039, 7, 3},{12049, 7, 3},
    {12059, 7, 3},{12069, 6, 3},{12078, 6, 3},{12087, 5, 4},{12096, 3, 3},{12102, 4, 3},
    {12109, 7, 2},{12118, 6, 2},{12126, 7, 2},{12135, 4, 3},{12142, 7, 2},{12151, 6, 2},
    {12159, 4, 2},{12165, 5, 2},{12172, 3, 3},{12178, 4, 3},{12185, 4, 3},{12192, 5, 3},
    {12200, 9, 3},{12212, 4, 3},{12219, 6, 3},{12228, 7, 3},{12238, 8, 3},{12249, 9, 3},
    {12261, 5, 6},{12272, 7, 3},{12282, 4, 4},{12290, 3, 3},{12296, 4, 3},{12303, 6, 3},
    {12312, 5, 2},{12319, 3, 3},{12325, 4, 3},{12332, 4, 3},{12339, 4, 3},{12346, 4, 3},
    {12353, 5, 3},{12361, 9, 3},{12373, 4, 3},{12380, 5, 3},{12388, 6, 3},{12397, 6, 3},
    {12406, 5, 4},{12415, 6, 1},{12422, 5, 3},{12430, 5, 3},{12438, 6, 3},{12447, 6, 3},
    {12456, 2, 1},{12459, 3, 1},{12463, 5, 3},{12471, 6, 3},{12480, 6, 3},{12489, 7, 3},
    {12499, 8, 3},{12510, 10, 3},{12523, 7, 3},{12533, 7, 3},{12543, 10, 3},{12556, 11, 3},
    {12570, 8, 3},{12581, 7, 3},{12591, 10, 6},{12607, 5, 6},{12618, 5, 3},{12626, 7, 3},
    {12636, 5, 2},{12643, 7, 3},{12653, 7, 2},{12662, 5, 3},{12670, 8, 3},{12681, 6, 3},
    {12690, 5, 3},{12698, 6, 2},{12706, 7, 3},{12716, 10, 3},{12729, 7, 3},{12739, 7, 3},
    {12749, 4, 4},{12757, 9, 3},{12769, 9, 3},{12781, 6, 3},{12790, 7, 3},{12800, 14, 3},
    {12817, 15, 3},{12835, 5, 4},{12844, 7, 3},{12854, 5, 4},{12863, 7, 3},{12873, 7, 2},
    {12882, 7, 3},{12892, 7, 3},{12902, 6, 2},{12910, 7, 2},{12919, 3, 3},{12925, 5, 2},
    {12932, 6, 2},{12940, 4, 2},{12946, 5, 2},{12953, 5, 2},{12960, 6, 2},{12968, 4, 3},
    {12975, 4, 4},{12983, 6, 2},{12991, 7, 2},{13000, 3, 3},{13006, 7, 3},{13016, 6, 3},
    {13025, 7, 3},{13035, 6, 3},{13044, 6, 2},{13052, 6, 2},{13060, 6, 3},{13069, 9, 3},
    {13081, 9, 3},{13093, 6, 2},{13101, 5, 3},{13109, 6, 2},{13117, 3, 3},{13123, 7, 3},
    {13133, 6, 3},{13142, 9, 3},{13154, 7, 2},{13163, 4, 3},{13170, 7, 3},{13180, 9, 3},
    {13192, 9, 3},{13204, 9, 3},{13216, 8, 3},{13227, 5, 2},{13234, 6, 2},{13242, 5, 4},
    {13251, 5, 2},{13258, 6, 3},{13267, 6, 2},{13275, 7, 2},{13284, 5, 4},{13293, 5, 3},
    {13301, 6, 3},{13310, 8, 3},{13321, 6, 3},{13330, 7, 3},{13340, 6, 3},{13349, 3, 3},
    {13355, 7, 2},{13364, 6, 2},{13372, 4, 2},{13378, 5, 2},{13385, 6, 2},{13393, 4, 2},
    {13399, 4, 4},{13407, 6, 2},{13415, 5, 4},{13424, 5, 4},{13433, 7, 2},{13442, 6, 2},
    {13450, 6, 2},{13458, 7, 2},{13467, 7, 2},{13476, 4, 2},{13482, 4, 4},{13490, 7, 2},
    {13499, 5, 2},{13506, 5, 2},{13513, 5, 4},{13522, 5, 4},{13531, 6, 3},{13540, 5, 3},
    {13548, 7, 3},{13558, 6, 3},{13567, 3, 3},{13573, 4, 3},{13580, 5, 3},{13588, 7, 2},
    {13597, 9, 3},{13609, 7, 3},{13619, 7, 2},{13628, 5, 3},{13636, 6, 3},{13645, 7, 3},
    {13655, 4, 3},{13662, 5, 2},{13669, 6, 2},{13677, 5, 3},{13685, 6, 3},{13694, 8, 3},
    {13705, 7, 3},{13715, 7, 3},{13725, 7, 3},{13735, 7, 3},{13745, 8, 3},{13756, 7, 3},
    {13766, 4, 3},{13773, 7, 3},{13783, 5, 3},{13791, 6, 6},{13803, 6, 3},{13812, 6, 3},
    {13821, 7, 1},{13829, 7, 1},{13837, 6, 3},{13846, 8, 3},{13857, 8, 3},{13868, 7, 2},
    {13877, 7, 2},{13886, 6, 3},{13895, 5, 1},{13901, 4, 2},{13907, 5, 3},{13915, 6, 3},
    {13924, 7, 3},{13934, 8, 3},{13945, 9, 3},{13957, 5, 3},{13965, 3, 3},{13971, 10, 3},
    {13984, 14, 3},{14001, 16, 3},{14020, 14, 3},{14037, 15, 3},{14055, 15, 3},{14073, 16, 3},
    {14092, 18, 3},{14113, 20, 3},{14136, 15, 3},{14154, 4, 3},{14161, 4, 3},{14168, 5, 3},
    {14176, 9, 3},{14188, 4, 3},{14195, 6, 3},{14204, 7, 3},{14214, 8, 3},{14225, 9, 3},
    {14237, 5, 6},{14248, 7, 3},{14258, 11, 3},{14272, 8, 3},{14283, 10, 3},{14296, 11, 3},
    {14310, 8, 3},{14321, 8, 3},{14332, 7, 3},{14342, 7, 3},{14352, 4, 4},{14360, 3, 3},
    {14366, 4, 3},{14373, 6, 3},{14382, 6, 3},{14391, 7, 3},{14401, 6, 3},{14410, 5, 2},
    {14417, 3, 3},{14423, 6, 3},{14432, 9, 3},{14444, 7, 3},{14454, 6, 3},{14463, 7, 2},
    {14472, 7, 3},{14482, 11, 3},{14496, 4, 3},{14503, 5, 3},{14511, 9, 3},{14523, 4, 3},
    {14530, 5, 3},{14538, 6, 3},{14547, 6, 3},{14556, 6, 3},{14565, 6, 3},{14574, 6, 3},
    {14583, 14, 3},{14600, 19, 3},{14622, 11, 3},{14636, 15, 3},{14654, 14, 3},{14671, 15, 3},
    {14689, 6, 3},{14698, 5, 4},{14707, 7, 3},{14717, 8, 3},{14728, 7, 3},{14738, 7, 1},
    {14746, 4, 3},{14753, 8, 3},{14764, 5, 3},{14772, 5, 1},{14778, 7, 3},{14788, 6, 3},
    {14797, 9, 3},{14809, 6, 3},{14818, 7, 3},{14828, 4, 3},{14835, 6, 3},{14844, 7, 3},
    {14854, 5, 4},{14863, 4, 3},{14870, 5, 3},{14878, 6, 3},{14887, 6, 3},{14896, 5, 1},
    {14902, 6, 3},{14911, 7, 3},{14921, 7, 2},{14930, 2, 1},{14933, 3, 1},{14937, 5, 3},
    {14945, 6, 3},{14954, 6, 3},{14963, 7, 3},{14973, 7, 3},{14983, 7, 3},{14993, 8, 3},
    {15004, 7, 3},{15014, 5, 3},{15022, 6, 3},{15031, 6, 3},{15040, 9, 3},{15052, 8, 3},
    {15063, 10, 6},{15079, 5, 6},{15090, 6, 3},{15099, 4, 2},{15105, 5, 2},{15112, 5, 3},
    {15120, 5, 3},{15128, 8, 3},{15139, 4, 3},{15146, 7, 3},{15156, 11, 3},{15170, 11, 3},
    {15184, 9, 3},{15196, 7, 3},{15206, 7, 3},{15216, 4, 2},{15222, 6, 3},{15231, 14, 3},
    {15248, 4, 4},{15256, 4, 3},{15263, 5, 2},{15270, 6, 2},{15278, 4, 3},{15285, 7, 1},
    {15293, 7, 3},{15303, 6, 2},{15311, 7, 2},{15320, 6, 3},{15329, 7, 3},{15339, 7, 3},
    {15349, 8, 3},{15360, 5, 3},{15368, 5, 3},{15376, 7, 3},{15386, 7, 3},{15396, 5, 4},
    {15405, 3, 3},{15411, 5, 4},{15420, 7, 3},{15430, 3, 2},{15435, 9, 3},{15447, 6, 3},
    {15456, 4, 5},{15465, 4, 6},{15475, 5, 5},{15485, 11, 3},{15499, 16, 3},{15518, 4, 5},
    {15527, 4, 6},{15537, 5, 5},{15547, 12, 3},{15562, 7, 3},{15572, 7, 3},{15582, 6, 3},
    {15591, 7, 2},{15600, 5, 6},{15611, 4, 3},{15618, 5, 5},{15628, 6, 5},{15639, 6, 2},
    {15647, 8, 3},{15658, 6, 3},{15667, 8, 3},{15678, 9, 3},{15690, 4, 2},{15696, 5, 2},
    {15703, 6, 5},{15714, 7, 5},{15726, 5, 3},{15734, 7, 2},{15743, 7, 2},{15752, 6, 3},
    {15761, 9, 5},{15775, 5, 3},{15783, 4, 2},{15789, 6, 3},{15798, 3, 3},{15804, 6, 3},
    {15813, 7, 3},{15823, 6, 3},{15832, 8, 3},{15843, 6, 5},{15854, 7, 3},{15864, 7, 3},
    {15874, 6, 5},{15885, 7, 3},{15895, 8, 3},{15906, 4, 4},{15914, 4, 5},{15923, 4, 3},
    {15930, 5, 3},{15938, 6, 5},{15949, 10, 5},{15964, 5, 5},{15974, 6, 3},{15983, 4, 3},
    {15990, 5, 3},{15998, 6, 3},{16007, 6, 3},{16016, 6, 3},{16025, 3, 3},{16031, 4, 3},
    {16038, 5, 3},{16046, 4, 3},{16053, 5, 2},{16060, 6, 3},{16069, 4, 5},{16078, 6, 3},
    {16087, 5, 3},{16095, 4, 3},{16102, 11, 3},{16116, 16, 3},{16135, 5, 3},{16143, 6, 5},
    {16154, 10, 5},{16169, 5, 5},{16179, 6, 3},{16188, 6, 3},{16197, 4, 3},{16204, 6, 3},
    {16213, 7, 3},{16223, 5, 3},{16231, 5, 4},{16240, 3, 2},{16245, 4, 2},{16251, 6, 3},
    {16260, 7, 5},{16272, 9, 5},{16286, 8, 3},{16297, 8, 3},{16308, 8, 3},{16319, 6, 3},
    {16328, 8, 3},{16339, 8, 3},{16350, 8, 3},{16361, 5, 3},{16369, 10, 3},{16382, 7, 6},
    {16395, 6, 5},{16406, 8, 3},{16417, 4, 3},{16424, 7, 3},{16434, 5, 5},{16444, 6, 3},
    {16453, 8, 5},{16466, 6, 3},{16475, 6, 3},{16484, 7, 5},{16496, 7, 5},{16508, 12, 3},
    {16523, 6, 3},{16532, 7, 3},{16542, 4, 3},{16549, 7, 3},{16559, 5, 5},{16569, 5, 4},
    {16578, 10, 3},{16591, 15, 3},{16609, 5, 3},{16617, 6, 3},{16626, 7, 3},{16636, 6, 3},
    {16645, 6, 3},{16654, 8, 3},{16665, 8, 3},{16676, 5, 3},{16684, 6, 5},{16695, 6, 3},
    {16704, 8, 6},{16718, 10, 3},{16731, 11, 5},{16747, 6, 3},{16756, 8, 5},{16769, 5, 3},
    {16777, 6, 5},{16788, 6, 3},{16797, 8, 6},{16811, 10, 3},{16824, 11, 5},{16840, 5, 3},
    {16848, 6, 2},{16856, 7, 2},{16865, 5, 3},{16873, 14, 3},{16890, 16, 3},{16909, 15, 3},
    {16927, 17, 3},{16947, 3, 2},{16952, 4, 1},{16957, 7, 3},{16967, 6, 3},{16976, 7, 3},
    {16986, 7, 3},{16996, 5, 6},{17007, 7, 3},{17017, 5, 6},{17028, 5, 4},{17037, 8, 3},
    {17048, 7, 3},{17058, 5, 6},{17069, 5, 4},{17078, 8, 6},{17092, 7, 3},{17102, 8, 6},
    {17116, 6, 6},{17128, 6, 3},{17137, 7, 3},{17147, 6, 3},{17156, 8, 3},{17167, 7, 3},
    {17177, 3, 3},{17183, 6, 2},{17191, 7, 2},{17200, 5, 3},{17208, 5, 3},{17216, 5, 2},
    {17223, 6, 2},{17231, 4, 2},{17237, 6, 3},{17246, 7, 2},{17255, 5, 3},{17263, 5, 3},
    {17271, 7, 3},{17281, 6, 2},{17289, 6, 3},{17298, 4, 4},{17306, 5, 2},{17313, 6, 2},
    {17321, 7, 2},{17330, 4, 3},{17337, 6, 3},{17346, 4, 2},{17352, 5, 3},{17360, 6, 3},
    {17369, 6, 3},{17378, 8, 3},{17389, 6, 3},{17398, 4, 3},{17405, 6, 2},{17413, 6, 2},
    {17421, 8, 2},{17431, 5, 3},{17439, 7, 3},{17449, 5, 4},{17458, 5, 3},{17466, 6, 3},
    {17475, 6, 3},{17484, 3, 3},{17490, 6, 3},{17499, 4, 3},{17506, 6, 3},{17515, 8, 3},
    {17526, 4, 2},{17532, 5, 2},{17539, 4, 2},{17545, 5, 2},{17552, 7, 3},{17562, 5, 3},
    {17570, 8, 3},{17581, 4, 3},{17588, 5, 3},{17596, 6, 2},{17604, 7, 2},{17613, 5, 3},
    {17621, 6, 2},{17629, 7, 2},{17638, 7, 3},{17648, 9, 3},{17660, 4, 2},{17666, 5, 2},
    {17673, 6, 3},{17682, 4, 3},{17689, 4, 2},{17695, 5, 2},{17702, 9, 3},{17714, 7, 3},
    {17724, 6, 3},{17733, 5, 3},{17741, 4, 2},{17747, 7, 1},{17755, 7, 1},{17763, 7, 3},
    {17773, 5, 3},{17781, 8, 3},{17792, 4, 4},{17800, 4, 2},{17806, 5, 2},{17813, 7, 3},
    {17823, 6, 3},{17832, 3, 2},{17837, 10, 3},{17850, 4, 2},{17856, 7, 3},{17866, 8, 3},
    {17877, 7, 3},{17887, 5, 1},{17893, 9, 3},{17905, 6, 3},{17914, 8, 3},{17925, 7, 3},
    {17935, 7, 3},{17945, 6, 3},{17954, 6, 2},{17962, 7, 2},{17971, 8, 3},{17982, 8, 3},
    {17993, 3, 2},{17998, 9, 3},{18010, 5, 4},{18019, 5, 2},{18026, 6, 2},{18034, 3, 3},
    {18040, 4, 3},{18047, 5, 3},{18055, 6, 3},{18064, 4, 3},{18071, 5, 3},{18079, 11, 3},
    {18093, 12, 3},{18108, 7, 3},{18118, 12, 3},{18133, 9, 3},{18145, 9, 3},{18157, 8, 3},
    {18168, 6, 3},{18177, 7, 3},{18187, 5, 3},{18195, 6, 3},{18204, 7, 3},{18214, 5, 3},
    {18222, 9, 3},{18234, 9, 3},{18246, 9, 3},{18258, 5, 3},{18266, 7, 3},{18276, 6, 3},
    {18285, 7, 3},{18295, 5, 4},{18304, 4, 2},{18310, 7, 3},{18320, 4, 4},{18328, 5, 3},
    {18336, 5, 4},{18345, 7, 3},{18355, 5, 4},{18364, 12, 3},{18379, 8, 3},{18390, 6, 1},
    {18397, 8, 3},{18408, 4, 1},{18413, 5, 1},{18419, 6, 3},{18428, 5, 3},{18436, 7, 3},
    {18446, 6, 3},{18455, 5, 3},{18463, 5, 5},{18473, 7, 2},{18482, 6, 3},{18491, 9, 3},
    {18503, 5, 3},{18511, 6, 3},{18520, 6, 3},{18529, 7, 3},{18539, 5, 2},{18546, 6, 2},
    {18554, 5, 3},{18562, 7, 3},{18572, 6, 3},{18581, 8, 3},{18592, 6, 3},{18601, 7, 3},
    {18611, 7, 3},{18621, 7, 3},{18631, 7, 3},{18641, 8, 3},{18652, 7, 3},{18662, 6, 3},
    {18671, 7, 3},{18681, 6, 3},{18690, 10, 3},{18703, 6, 3},{18712, 6, 3},{18721, 7, 1},
    {18729, 7, 1},{18737, 6, 3},{18746, 8, 3},{18757, 8, 3},{18768, 7, 2},{18777, 7, 2},
    {18786, 6, 3},{18795, 5, 1},{18801, 4, 2},{18807, 5, 3},{18815, 8, 3},{18826, 6, 3},
    {18835, 7, 3},{18845, 5, 3},{18853, 5, 3},{18861, 8, 3},{18872, 9, 3},{18884, 6, 3},
    {18893, 5, 3},{18901, 3, 2},{18906, 4, 2},{18912, 7, 3},{18922, 7, 3},{18932, 4, 4},
    {18940, 6, 3},{18949, 6, 3},{18958, 7, 3},{18968, 4, 2},{18974, 5, 2},{18981, 11, 3},
    {18995, 15, 3},{19013, 17, 3},{19033, 15, 3},{19051, 16, 3},{19070, 18, 3},{19091, 17, 3},
    {19111, 16, 3},{19130, 16, 3},{19149, 5, 2},{19156, 13, 3},{19172, 6, 3},{19181, 6, 3},
    {19190, 4, 3},{19197, 7, 3},{19207, 11, 3},{19221, 6, 3},{19230, 6, 3},{19239, 6, 3},
    {19248, 6, 3},{19257, 6, 3},{19266, 5, 4},{19275, 7, 3},{19285, 8, 3},{19296, 5, 1},
    {19302, 7, 3},{19312, 9, 3},{19324, 6, 3},{19333, 7, 3},{19343, 5, 4},{19352, 4, 3},
    {19359, 5, 1},{19365, 6, 3},{19374, 7, 3},{19384, 7, 3},{19394, 7, 3},{19404, 5, 3},
    {19412, 6, 3},{19421, 6, 3},{19430, 9, 3},{19442, 8, 3},{19453, 3, 3},{19459, 7, 2},
    {19468, 6, 3},{19477, 3, 3},{19483, 4, 3},{19490, 5, 3},{19498, 7, 2},{19507, 6, 3},
    {19516, 4, 3},{19523, 7, 2},{19532, 6, 2},{19540, 5, 3},{19548, 6, 3},{19557, 7, 3},
    {19567, 9, 3},{19579, 6, 3},{19588, 4, 2},{19594, 5, 3},{19602, 6, 3},{19611, 6, 3},
    {19620, 6, 3},{19629, 7, 3},{19639, 6, 3},{19648, 8, 3},{19659, 4, 2},{19665, 5, 2},
    {19672, 5, 1},{19678, 7, 3},{19688, 9, 3},{19700, 6, 3},{19709, 5, 3},{19717, 4, 4},
    {19725, 7, 3},{19735, 6, 3},{19744, 7, 2},{19753, 5, 2},{19760, 9, 3},{19772, 14, 3},
    {19789, 3, 2},{19794, 4, 2},{19800, 6, 2},{19808, 7, 2},{19817, 7, 2},{19826, 4, 3},
    {19833, 7, 3},{19843, 5, 3},{19851, 6, 3},{19860, 5, 3},{19868, 6, 3},{19877, 5, 3},
    {19885, 6, 3},{19894, 6, 3},{19903, 8, 3},{19914, 8, 3},{19925, 6, 3},{19934, 14, 3},
    {19951, 7, 3},{19961, 9, 3},{19973, 5, 3},{19981, 6, 3},{19990, 4, 3},{19997, 5, 3},
    {20005, 6, 6},{20017, 7, 2},{20026, 4, 1},{20031, 5, 3},{20039, 7, 3},{20049, 5, 4},
    {20058, 7, 3},{20068, 10, 3},{20081, 5, 3},{20089, 6, 3},{20098, 7, 6},{20111, 6, 3},
    {20120, 7, 6},{20133, 6, 3},{20142, 7, 3},{20152, 9, 3},{20164, 11, 3},{20178, 6, 3},
    {20187, 7, 3},{20197, 9, 3},{20209, 11, 3},{20223, 4, 3},{20230, 7, 3},{20240, 7, 3},
    {20250, 5, 3},{20258, 6, 3},{20267, 5, 4},{20276, 7, 3},{20286, 7, 3},{20296, 7, 3},
    {20306, 5, 3},{20314, 6, 3},{20323, 16, 2},{20341, 12, 2},{20355, 6, 2},{20363, 4, 3},
    {20370, 5, 3},{20378, 7, 3},{20388, 5, 3},{20396, 8, 3},{20407, 8, 3},{20418, 6, 3},
    {20427, 6, 3},{20436, 8, 3},{20447, 8, 3},{20458, 7, 3},{20468, 9, 3},{20480, 10, 3},
    {20493, 10, 3},{20506, 11, 3},{20520, 7, 3},{20530, 7, 3},{20540, 7, 3},{20550, 5, 3},
    {20558, 11, 3},{20572, 12, 3},{20587, 7, 3},{20597, 12, 3},{20612, 9, 3},{20624, 9, 3},
    {20636, 8, 3},{20647, 4, 3},{20654, 5, 3},{20662, 4, 2},{20668, 5, 2},{20675, 4, 2},
    {20681, 5, 2},{20688, 4, 2},{20694, 5, 2},{20701, 4, 3},{20708, 5, 3},{20716, 7, 3},
    {20726, 8, 3},{20737, 5, 3},{20745, 8, 3},{20756, 8, 3},{20767, 8, 3},{20778, 8, 3},
    {20789, 8, 3},{20800, 6, 3},{20809, 6, 3},{20818, 8, 3},{20829, 7, 3},{20839, 9, 3},
    {20851, 10, 3},{20864, 10, 3},{20877, 11, 3},{20891, 7, 3},{20901, 7, 3},{20911, 7, 3},
    {20921, 6, 3},{20930, 7, 3},{20940, 6, 3},{20949, 8, 3},{20960, 7, 3},{20970, 5, 2},
    {20977, 6, 2},{20985, 7, 3},{20995, 4, 2},{21001, 5, 3},{21009, 7, 2},{21018, 7, 2},
    {21027, 4, 2},{21033, 5, 3},{21041, 7, 3},{21051, 4, 4},{21059, 7, 3},{21069, 10, 3},
    {21082, 6, 2},{21090, 9, 2},{21101, 7, 2},{21110, 12, 3},{21125, 9, 3},{21137, 7, 3},
    {21147, 6, 3},{21156, 7, 3},{21166, 5, 2},{21173, 6, 2},{21181, 6, 2},{21189, 5, 2},
    {21196, 6, 2},{21204, 7, 3},{21214, 9, 3},{21226, 7, 3},{21236, 5, 3},{21244, 5, 3},
    {21252, 4, 3},{21259, 7, 3},{21269, 7, 3},{21279, 5, 4},{21288, 8, 3},{21299, 5, 3},
    {21307, 7, 3},{21317, 6, 3},{21326, 9, 3},{21338, 13, 3},{21354, 13, 3},{21370, 15, 3},
    {21388, 10, 3},{21401, 14, 3},{21418, 16, 3},{21437, 7, 3},{21447, 5, 3},{21455, 9, 3},
    {21467, 8, 3},{21478, 6, 3},{21487, 8, 3},{21498, 9, 3},{21510, 5, 4},{21519, 5, 2},
    {21526, 6, 2},{21534, 7, 2},{21543, 6, 3},{21552, 17, 3},{21572, 18, 3},{21593, 5, 3},
    {21601, 5, 3},{21609, 6, 2},{21617, 7, 2},{21626, 5, 3},{21634, 6, 2},{21642, 7, 2},
    {21651, 5, 2},{21658, 6, 2},{21666, 4, 2},{21672, 6, 3},{21681, 7, 2},{21690, 6, 3},
    {21699, 7, 3},{21709, 4, 4},{21717, 6, 2},{21725, 7, 2},{21734, 6, 3},{21743, 6, 3},
    {21752, 6, 3},{21761, 7, 3},{21771, 9, 3},{21783, 7, 3},{21793, 6, 3},{21802, 6, 2},
    {21810, 3, 2},{21815, 4, 2},{21821, 6, 2},{21829, 5, 4},{21838, 8, 3},{21849, 12, 3},
    {21864, 14, 3},{21881, 15, 3},{21899, 6, 3},{21908, 5, 2},{21915, 6, 2},{21923, 8, 2},
    {21933, 11, 3},{21947, 7, 3},{21957, 9, 3},{21969, 7, 3},{21979, 6, 2},{21987, 6, 3},
    {21996, 5, 4},{22005, 6, 3},{22014, 7, 2},{22023, 5, 3},{22031, 6, 3},{22040, 6, 3},
    {22049, 4, 2},{22055, 5, 2},{22062, 8, 3},{22073, 5, 3},{22081, 5, 3},{22089, 6, 3},
    {22098, 6, 3},{22107, 7, 3},{22117, 11, 2},{22130, 9, 2},{22141, 11, 3},{22155, 7, 2},
    {22164, 6, 2},{22172, 10, 3},{22185, 5, 3},{22193, 7, 2},{22202, 9, 2},{22213, 13, 6},
    {22232, 14, 6},{22252, 13, 6},{22271, 14, 6},{22291, 9, 2},{22302, 16, 3},{22321, 17, 3},
    {22341, 4, 2},{22347, 6, 3},{22356, 4, 3},{22363, 7, 3},{22373, 6, 3},{22382, 7, 3},
    {22392, 7, 1},{22400, 5, 1},{22406, 4, 4},{22414, 6, 3},{22423, 6, 6},{22435, 6, 6},
    {22447, 5, 4},{22456, 6, 3},{22465, 6, 3},{22474, 5, 4},{22483, 7, 6},{22496, 7, 6},
    {22509, 7, 6},{22522, 7, 6},{22535, 8, 3},{22546, 6, 2},{22554, 7, 3},{22564, 6, 3},
    {22573, 7, 3},{22583, 7, 3},{22593, 4, 4},{22601, 5, 4},{22610, 3, 3},{22616, 3, 3},
    {22622, 7, 3},{22632, 5, 4},{22641, 5, 3},{22649, 6, 3},{22658, 5, 3},{22666, 6, 3},
    {22675, 4, 4},{22683, 6, 3},{22692, 6, 3},{22701, 3, 2},{22706, 6, 3},{22715, 6, 3},
    {22724, 5, 3},{22732, 5, 3},{22740, 6, 3},{22749, 5, 4},{22758, 7, 3},{22768, 7, 3},
    {22778, 6, 3},{22787, 6, 3},{22796, 5, 4},{22805, 7, 3},{22815, 7, 3},{22825, 6, 3},
    {22834, 5, 3},{22842, 7, 3},{22852, 6, 2},{22860, 7, 2},{22869, 5, 2},{22876, 6, 2},
    {22884, 4, 2},{22890, 3, 2},{22895, 4, 2},{22901, 4, 4},{22909, 5, 2},{22916, 5, 4},
    {22925, 5, 4},{22934, 5, 2},{22941, 4, 2},{22947, 5, 2},{22954, 7, 2},{22963, 7, 2},
    {22972, 4, 2},{22978, 5, 2},{22985, 7, 3},{22995, 5, 2},{23002, 4, 4},{23010, 5, 2},
    {23017, 8, 3},{23028, 5, 4},{23037, 5, 4},{23046, 4, 3},{23053, 5, 3},
};
/* clang-format on */
